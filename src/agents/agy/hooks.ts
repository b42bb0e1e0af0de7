import type { HookFact } from '../../domain/hook-fact.ts';
import { hookReader } from '../shared/hook-reader.ts';
import { type JsonRecord, recordAt, stringAt } from '../shared/json.ts';

/**
 * Order of a turn: SessionStart (once for a conversation in a process), PreInvocation, then per tool
 * PreToolUse and PostToolUse, PostInvocation and PreInvocation between calls of the model, Stop. The
 * payload names no event. None carries the prompt or the answer: the transcript has them. Esc, a tool that
 * was declined, and an exit fire nothing, not even Stop. SessionStart is no word for a conversation that the
 * session moved to: whether those of sub-agents fire it is not known, and the store tells without it.
 *
 * @returns `undefined` for a payload that is not agy's.
 */
export const readHook = hookReader('conversationId', readFact);

function readFact(event: string, payload: JsonRecord): HookFact {
  switch (event) {
    case 'PreInvocation':
      return { kind: 'model-asked' };
    case 'PreToolUse':
      return { kind: 'tool-started', tool: toolOf(payload) };
    case 'PostToolUse':
      return { kind: 'tool-ended', tool: toolOf(payload) };
    case 'Stop':
      return readStop(payload);
    default:
      return { kind: 'noted', event };
  }
}

function toolOf(payload: JsonRecord): string {
  return stringAt(recordAt(payload, 'toolCall'), 'name') ?? 'unknown';
}

/** `fullyIdle` is false while something that the turn started runs on. */
function readStop(payload: JsonRecord): HookFact {
  const error = stringAt(payload, 'error') ?? '';
  if (error !== '') return { kind: 'turn-failed', error, limited: LIMIT.test(error) };
  return { kind: 'turn-ended', ...(payload.fullyIdle === false ? { background: true } : {}) };
}

const LIMIT = /\bquota reached\b/i;
