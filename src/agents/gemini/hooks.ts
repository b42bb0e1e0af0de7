import type { HookFact } from '../../domain/hook-fact.ts';
import { conversationEnded, hookReader, turnEnded } from '../shared/hook-reader.ts';
import { type JsonRecord, recordAt, stringAt } from '../shared/json.ts';
import { readStartCause } from '../shared/start-cause.ts';
import { promptHash } from './prompt-hash.ts';

/**
 * Order within a turn (0.61.0): BeforeAgent, per tool BeforeTool, Notification (only when a dialog opens)
 * and AfterTool, then AfterAgent, which comes after Esc and after an error of the model too, but not after
 * a declined dialog. SessionEnd comes three times at a `/quit`, and not at a hang-up.
 *
 * @returns `undefined` for a payload that is not Gemini's.
 */
export const readHook = hookReader('session_id', readFact);

function readFact(event: string, payload: JsonRecord): HookFact {
  switch (event) {
    case 'SessionStart':
      return readStartCause(stringAt(payload, 'source')) ?? { kind: 'noted', event };
    case 'SessionEnd':
      return conversationEnded(stringAt(payload, 'reason'));
    case 'BeforeAgent':
      return {
        kind: 'prompt-submitted',
        promptHash: promptHash(stringAt(payload, 'prompt') ?? ''),
      };
    case 'BeforeTool':
      return { kind: 'tool-started', tool: stringAt(payload, 'tool_name') ?? 'unknown' };
    case 'AfterTool':
      return { kind: 'tool-ended', tool: stringAt(payload, 'tool_name') ?? 'unknown' };
    case 'Notification':
      return readNotification(payload);
    case 'AfterAgent':
      return readAnswer(stringAt(payload, 'prompt_response'));
    default:
      return { kind: 'noted', event };
  }
}

function readNotification(payload: JsonRecord): HookFact {
  const kind = stringAt(payload, 'notification_type');
  if (kind !== 'ToolPermission') return { kind: 'noted', event: `Notification:${kind}` };
  return {
    kind: 'approval-wanted',
    tool: stringAt(recordAt(payload, 'details'), 'type') ?? 'unknown',
  };
}

/** Stands where no answer came: after Esc, or an error of the model. Which of the two is not told. */
const NO_RESPONSE = '[no response text]';

function readAnswer(answer: string | undefined): HookFact {
  return answer === NO_RESPONSE ? { kind: 'turn-interrupted' } : turnEnded(answer);
}
