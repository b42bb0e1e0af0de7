import { type ActivityState, BACKGROUND } from '../../domain/activity.ts';
import type { StateFile, StateFileFact } from '../../ports/agent-adapter.ts';
import { isRecord, type JsonRecord, parseJson, stringAt } from '../shared/json.ts';

/**
 * `sessions/<pid>.json`, kept by the interactive program: written when the composer is up (after the
 * start-up dialogs), rewritten at each change, gone after a clean end or TERM, left behind by KILL.
 * Undocumented, hence a hint beside the hooks. It is the only sign of an interrupt by Esc, which fires
 * no hook. The `*.key` file beside it holds a token and is never read.
 */
export const stateFile: StateFile = {
  path: (storeFolder, agentPid) => `${storeFolder}/sessions/${agentPid}.json`,
  all: (storeFolder) => `${storeFolder}/sessions/*.json`,

  parse(text) {
    const record = parseJson(text);
    return isRecord(record) ? toFact(record) : undefined;
  },
};

function toFact(record: JsonRecord): StateFileFact | undefined {
  const { pid, updatedAt } = record;
  const conversationId = stringAt(record, 'sessionId');
  const activity = activityOf(stringAt(record, 'status'), stringAt(record, 'waitingFor'));
  if (typeof pid !== 'number' || conversationId === undefined) return undefined;
  const pidStart = stringAt(record, 'procStart');
  return {
    pid,
    conversationId,
    updatedAtMs: typeof updatedAt === 'number' ? updatedAt : 0,
    ...(pidStart === undefined ? {} : { pidStart }),
    ...activity,
  };
}

interface StateAndDetail {
  readonly state: ActivityState;
  readonly detail?: string;
}

/**
 * `shell`: at the prompt, while commands that the agent put in the background still run. 2.1.197 says `permission prompt` for a question too. `dialog open` is any overlay or menu that a
 * command opened, the limit's among them: only the screen can tell.
 */
function activityOf(status: string | undefined, waitingFor: string | undefined): StateAndDetail {
  switch (status) {
    case 'idle':
      return { state: 'idle' };
    case 'shell':
      return { state: 'working', detail: BACKGROUND };
    case 'busy':
      return { state: 'working' };
    case 'waiting':
      return waitingState(waitingFor);
    default:
      return { state: 'unknown' };
  }
}

function waitingState(waitingFor: string | undefined): StateAndDetail {
  switch (waitingFor) {
    case 'permission prompt':
      return { state: 'awaiting-approval', detail: 'permission' };
    case 'input needed':
      return { state: 'awaiting-answer', detail: 'question' };
    default:
      return { state: 'unknown', detail: 'overlay' };
  }
}
