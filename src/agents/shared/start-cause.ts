import type { HookFact } from '../../domain/hook-fact.ts';

/** @returns `undefined` for a source by which no conversation of this process begins. */
export function readStartCause(source: string | undefined): HookFact | undefined {
  switch (source) {
    case 'startup':
    case 'resume':
    case 'clear':
    case 'compact':
      return { kind: 'conversation-started', cause: source };
    default:
      return undefined;
  }
}
