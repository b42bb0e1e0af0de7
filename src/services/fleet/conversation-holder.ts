import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { runsAgent } from './agent-command.ts';
import type { FleetContext } from './context.ts';
import { storeFolderOf } from './conversations.ts';

/**
 * The agent itself does not refuse a second writer: two would destroy the conversation.
 *
 * @param session - Of which nothing runs.
 * @throws {MamError} `conversation.claimed`
 */
export function assertNobodyElseHolds(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  id: string,
): void {
  const pid =
    holderByStateFile(context, adapter, session, id) ?? holderByCommand(context, adapter, id);
  if (pid === undefined) return;
  throw new MamError(
    'conversation.claimed',
    `Conversation ${id} of "${session.name}" is open in process ${pid}, which is not ours.`,
    { session: session.name, pid },
    { hint: 'End that program first; two writers would damage the conversation.' },
  );
}

function holderByStateFile(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  id: string,
): number | undefined {
  const { files, processes } = context;
  if (!adapter.stateFile) return undefined;
  const folder = storeFolderOf(context, adapter, session);
  for (const path of files.glob(adapter.stateFile.all(folder))) {
    const fact = adapter.stateFile.parse(files.readText(path) ?? '');
    if (fact?.conversationId !== id) continue;
    const info = processes.find(fact.pid);
    if (info && (fact.pidStart === undefined || fact.pidStart === info.startTicks)) return fact.pid;
  }
  return undefined;
}

/** A program of this agent that was told this id, or keeps its file open. Ended ones have no command line. */
function holderByCommand(
  context: FleetContext,
  { kind, store }: AgentAdapter,
  id: string,
): number | undefined {
  const { processes } = context;
  const isIt = (pid: number) => {
    const command = processes.commandLine(pid);
    if (!runsAgent(context, kind, command)) return false;
    const isTold = command.split(' ').some((word) => word === id || word.endsWith(`=${id}`));
    return isTold || processes.openFiles(pid).some((path) => store.idOfOpenFile?.(path) === id);
  };
  return processes.list().find(({ pid }) => isIt(pid))?.pid;
}
