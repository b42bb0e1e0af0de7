import { type ActivityState, BACKGROUND } from '../../domain/activity.ts';
import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';

/**
 * A hook's word stands against the screen for this long: a screen that shows something else may not
 * have been redrawn yet. Milliseconds.
 */
const SCREEN_LAG_MS = 2_000;

export interface Folded {
  readonly state: ActivityState;
  readonly atMs: number;
  readonly detail?: string;
  readonly untilMs?: number;
}

/** Whether the screen may lag behind. One from the future is old: the clock was set back since. */
export function isYoung({ atMs }: Folded, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < SCREEN_LAG_MS;
}

/** The state after the newest event that tells one. */
export function foldFacts(events: readonly HookEvent[]): Folded | undefined {
  for (const { fact, atMs } of events.toReversed()) {
    const told = stateAfter(fact);
    if (told) return { ...told, atMs };
  }
  return undefined;
}

function stateAfter(fact: HookFact): Omit<Folded, 'atMs'> | undefined {
  switch (fact.kind) {
    case 'conversation-started':
      return fact.cause === 'compact' ? undefined : { state: 'idle' };
    case 'prompt-submitted':
    case 'model-asked':
    case 'turn-started':
    case 'tool-started':
    case 'tool-ended':
    case 'compacting':
      return { state: 'working' };
    case 'approval-wanted':
      return { state: 'awaiting-approval', detail: 'permission' };
    case 'answer-wanted':
      return { state: 'awaiting-answer', detail: 'question' };
    case 'turn-ended':
      return fact.background ? { state: 'working', detail: BACKGROUND } : { state: 'idle' };
    case 'turn-interrupted':
      return { state: 'idle' };
    case 'turn-failed':
      return fact.limited
        ? { state: 'limited', detail: 'limit', ...(fact.untilMs ? { untilMs: fact.untilMs } : {}) }
        : { state: 'idle', detail: 'error' };
    case 'conversation-ended':
    case 'noted':
      return undefined;
  }
}
