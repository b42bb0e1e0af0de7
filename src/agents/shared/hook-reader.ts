import type { HookFact } from '../../domain/hook-fact.ts';
import { isRecord, type JsonRecord, stringAt } from './json.ts';

/**
 * Reads payloads that name their conversation under `key`.
 *
 * @returns `undefined` for one that does not: it is not this agent's.
 */
export function hookReader(
  key: string,
  readFact: (event: string, payload: JsonRecord) => HookFact,
): (event: string, payload: unknown) => HookFact | undefined {
  return (event, payload) => {
    const conversationId = isRecord(payload) ? stringAt(payload, key) : undefined;
    if (!isRecord(payload) || conversationId === undefined) return undefined;
    return { conversationId, ...readFact(event, payload) };
  };
}

export function turnEnded(answer: string | undefined): HookFact & { kind: 'turn-ended' } {
  return answer === undefined ? { kind: 'turn-ended' } : { kind: 'turn-ended', answer };
}

/** `clear` and `resume` (another one picked) only change the conversation; the rest end the program. */
export function conversationEnded(reason = 'other'): HookFact {
  const processEnds = reason !== 'clear' && reason !== 'resume';
  return { kind: 'conversation-ended', reason, processEnds };
}
