import type { HookFact } from '../../domain/hook-fact.ts';
import { turnEnded } from '../shared/hook-reader.ts';
import { isRecord, type JsonRecord, recordAt, stringAt } from '../shared/json.ts';

/**
 * Order within a turn: TaskStart (TaskResume in a process that was started with `--id`), then for each tool
 * PreToolUse, before its permission is asked for, and PostToolUse, also when it was denied, then TaskComplete
 * or TaskError. Of these Cline waits for those of tools only. Esc and TERM fire SessionShutdown. None carries the prompt, and
 * UserPromptSubmit did not fire in 3.0.65. Those of a sub-agent name the conversation of its parent.
 *
 * @returns `undefined` for a payload that is not Cline's.
 */
export function readHook(event: string, payload: unknown): HookFact | undefined {
  if (!isRecord(payload) || stringAt(payload, 'hookName') === undefined) return undefined;
  const conversationId = stringAt(recordAt(payload, 'sessionContext'), 'rootSessionId');
  if (conversationId === undefined) return undefined;
  if (stringAt(payload, 'parent_agent_id') !== undefined)
    return { conversationId, kind: 'noted', event: `${event}:sub-agent` };
  const firedAtMs = Date.parse(stringAt(payload, 'timestamp') ?? '');
  const moment = Number.isNaN(firedAtMs) ? {} : { firedAtMs };
  return { conversationId, ...moment, ...readFact(event, payload) };
}

function readFact(event: string, payload: JsonRecord): HookFact {
  switch (event) {
    case 'TaskStart':
    case 'TaskResume':
      return { kind: 'turn-started' };
    case 'PreToolUse':
      return { kind: 'tool-started', tool: toolOf(payload, 'preToolUse') };
    case 'PostToolUse':
      return { kind: 'tool-ended', tool: toolOf(payload, 'postToolUse') };
    case 'TaskComplete':
      return turnEnded(stringAt(recordAt(payload, 'turn'), 'outputText'));
    case 'TaskError':
      return readFailure(stringAt(recordAt(payload, 'error'), 'message') ?? 'unknown');
    case 'TaskCancel':
    case 'SessionShutdown':
      return { kind: 'turn-interrupted' };
    default:
      return { kind: 'noted', event };
  }
}

/** The provider's own words: no kind, and no time. */
function readFailure(error: string): HookFact {
  return { kind: 'turn-failed', error, limited: LIMIT.test(error) };
}

const LIMIT = /\brate[ _-]?limit|\bquota\b|\busage limit\b|\btoo many requests\b|\b429\b/i;

function toolOf(payload: JsonRecord, key: string): string {
  return stringAt(recordAt(payload, key), 'toolName') ?? 'unknown';
}
