import type { HookFact } from '../../domain/hook-fact.ts';
import { turnEnded } from '../shared/hook-reader.ts';
import { isRecord, type JsonRecord, stringAt } from '../shared/json.ts';
import { readStartCause } from '../shared/start-cause.ts';
import { promptHash } from './typing.ts';

/** @returns `undefined` for an event or a payload that is not the demo agent's. */
export function readHook(event: string, payload: unknown): HookFact | undefined {
  if (!isRecord(payload)) return undefined;
  const conversationId = stringAt(payload, 'session_id');
  const fact = readFact(event, payload);
  if (conversationId === undefined || fact === undefined) return undefined;
  return { conversationId, ...fact };
}

function readFact(event: string, payload: JsonRecord): HookFact | undefined {
  switch (event) {
    case 'SessionStart':
      return readStartCause(stringAt(payload, 'source'));
    case 'SessionEnd':
      return readEnd(stringAt(payload, 'reason'));
    case 'UserPromptSubmit':
      return readPrompt(stringAt(payload, 'prompt'));
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PermissionRequest':
      return readTool(event, stringAt(payload, 'tool_name'));
    case 'Stop':
      return turnEnded(stringAt(payload, 'last_assistant_message'));
    case 'StopFailure':
      return readFailure(stringAt(payload, 'error'), payload.resets_at);
    default:
      return undefined;
  }
}

function readEnd(reason: string | undefined): HookFact | undefined {
  if (reason === undefined) return undefined;
  return { kind: 'conversation-ended', reason, processEnds: reason !== 'clear' };
}

function readPrompt(prompt: string | undefined): HookFact | undefined {
  return prompt === undefined
    ? undefined
    : { kind: 'prompt-submitted', promptHash: promptHash(prompt) };
}

function readTool(
  event: 'PreToolUse' | 'PostToolUse' | 'PermissionRequest',
  tool: string | undefined,
): HookFact | undefined {
  if (tool === undefined) return undefined;
  if (event === 'PreToolUse') return { kind: 'tool-started', tool };
  if (event === 'PostToolUse') return { kind: 'tool-ended', tool };
  return { kind: tool === 'AskUserQuestion' ? 'answer-wanted' : 'approval-wanted', tool };
}

/** @param resetsAt - Epoch seconds. */
function readFailure(error: string | undefined, resetsAt: unknown): HookFact | undefined {
  if (error === undefined) return undefined;
  const until = typeof resetsAt === 'number' ? { untilMs: resetsAt * 1000 } : {};
  return { kind: 'turn-failed', error, limited: error === 'rate_limit', ...until };
}
