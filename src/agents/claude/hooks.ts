import type { HookFact } from '../../domain/hook-fact.ts';
import { conversationEnded, hookReader, turnEnded } from '../shared/hook-reader.ts';
import { type JsonRecord, stringAt } from '../shared/json.ts';
import { readStartCause } from '../shared/start-cause.ts';
import { promptHash } from './prompt-hash.ts';

/**
 * Order within a turn: UserPromptSubmit, then per tool PreToolUse, PermissionRequest (only when a
 * dialog opens) and PostToolUse or PostToolUseFailure, then Stop or StopFailure. SessionStart comes
 * some 0.1 s after the state file. Esc fires nothing, whether it interrupts or declines. A shell command (`!`)
 * fires only Stop. A message typed while Claude works fires UserPromptSubmit at once in 2.1.332, when
 * its turn begins in 2.1.197.
 *
 * @returns `undefined` for a payload that is not Claude's.
 */
export const readHook = hookReader('session_id', readFact);

function readFact(event: string, payload: JsonRecord): HookFact {
  switch (event) {
    case 'SessionStart':
      return readStart(stringAt(payload, 'source') ?? '');
    case 'SessionEnd':
      return conversationEnded(stringAt(payload, 'reason'));
    case 'UserPromptSubmit':
      return {
        kind: 'prompt-submitted',
        promptHash: promptHash(stringAt(payload, 'prompt') ?? ''),
      };
    case 'PreToolUse':
      return { kind: 'tool-started', tool: toolOf(payload) };
    case 'PermissionRequest':
      return readRequest(toolOf(payload));
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return { kind: 'tool-ended', tool: toolOf(payload) };
    case 'Stop':
      return readStop(payload);
    case 'StopFailure':
      return readFailure(stringAt(payload, 'error') ?? 'unknown');
    case 'PreCompact':
      return { kind: 'compacting' };
    default:
      return { kind: 'noted', event };
  }
}

/**
 * `fork` is the start of a background copy under a new id: it inherits our settings and reports to the
 * same place, while this process keeps its conversation.
 */
function readStart(source: string): HookFact {
  return readStartCause(source) ?? { kind: 'noted', event: `SessionStart:${source}` };
}

function readRequest(tool: string): HookFact {
  return { kind: tool === 'AskUserQuestion' ? 'answer-wanted' : 'approval-wanted', tool };
}

/** `background_tasks` names what the turn has left running. */
function readStop(payload: JsonRecord): HookFact {
  const { background_tasks: tasks } = payload;
  const ended = turnEnded(stringAt(payload, 'last_assistant_message'));
  return Array.isArray(tasks) && tasks.length > 0 ? { ...ended, background: true } : ended;
}

/**
 * Seen: `rate_limit` (a subscription's limit and a key's 429), `billing_error`, `server_error`,
 * `authentication_failed`, `unknown`. When it lifts is only in the transcript and on the screen.
 */
function readFailure(error: string): HookFact {
  return { kind: 'turn-failed', error, limited: error === 'rate_limit' };
}

function toolOf(payload: JsonRecord): string {
  return stringAt(payload, 'tool_name') ?? 'unknown';
}
