import { isLiving } from '../../domain/owner.ts';
import type { Session, TmuxServerRecord } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { Life, ServerState, Terminal } from '../../ports/fleet-care.ts';
import type { PaneLook, ServerLook } from '../../ports/multiplexer.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import type { ReadContext } from './context.ts';
import { canSeePids, isElsewhere } from './here.ts';
import { readExit, readIdentityFile } from './launch-folder.ts';

type Vitals = Omit<Life, keyof Terminal> & { readonly info: ProcessInfo | undefined };

/** What the process table and the launch folder say, before tmux is asked. */
export function findVitals(context: ReadContext, session: Session): Vitals {
  const folder = workspacePaths.launch(context.workspace, session.launch);
  const isRunning = session.status === 'running';
  // The registry has it once the agent was up; before that, its launch folder.
  const agent = isRunning
    ? (session.agentProcess ?? readIdentityFile(context.files, `${folder}/agent`))
    : undefined;
  const info =
    agent && canSeePids(context, session) ? context.processes.find(agent.pid) : undefined;
  const agentAlive = agent !== undefined && isLiving(info, agent);
  const exit = isRunning && !agentAlive ? readExit(context.files, folder) : undefined;
  return { session, agent, agentAlive, info, exit };
}

/** It has a place in tmux, and should be there. */
export function isInTmux({ status, tmux }: Session): boolean {
  return status === 'running' && tmux !== null;
}

export interface AskRequest {
  readonly anyRunning: boolean;
  /** Panes whose screens are read. */
  readonly capture: readonly string[];
  /** Also when nothing is recorded of a server: the registry may have been lost. */
  readonly always?: boolean;
}

/** The server as one look found it. */
export interface ServerSeen {
  readonly server: ServerState;
  /** The server's process, while it has a session. */
  readonly pid: number | undefined;
  /** Every pane, whoever made it; the keeper's is left out. */
  readonly panes: ReadonlyMap<string, PaneLook>;
}

export async function askServer(
  context: ReadContext,
  { anyRunning, capture, always }: AskRequest,
): Promise<ServerSeen> {
  const record = context.readRegistry((reader) => reader.tmuxServer());
  // A recorded server is looked at without sessions too: not asked is no answer.
  const look: ServerLook =
    anyRunning || record || always
      ? await context.multiplexer.look(capture)
      : { server: 'none', reason: 'no session runs' };
  if (isAnother(context, look, record))
    return { server: 'unreachable', pid: undefined, panes: new Map() };
  const panes = look.server === 'up' ? look.panes : [];
  return {
    server: serverState(context, look, record, anyRunning),
    pid: look.server === 'up' ? look.pid : undefined,
    panes: new Map(panes.map((pane) => [pane.paneId, pane])),
  };
}

/** Whoever answers at the socket is not the server that we know to live: nothing there is ours. */
function isAnother(
  context: Pick<ReadContext, 'processes'>,
  look: ServerLook,
  record: TmuxServerRecord | undefined,
): boolean {
  if (look.server !== 'up' || look.pid === undefined || !record) return false;
  const isRecorded = record.process.pid === look.pid;
  return !isRecorded && canSeePids(context, record) && context.processes.isAlive(record.process);
}

/** A server that does not answer is gone only when its process is proven gone. */
export function serverState(
  context: Pick<ReadContext, 'processes' | 'files'>,
  look: ServerLook,
  record: TmuxServerRecord | undefined,
  anyRunning: boolean,
): ServerState {
  if (look.server === 'up') return 'up';
  if (!record) return 'none';
  if (canSeePids(context, record) && context.processes.isAlive(record.process)) {
    return 'unreachable';
  }
  if (isHidden(context, record)) return 'unreachable';
  return anyRunning ? 'gone' : 'none';
}

/**
 * In a sandbox of this machine neither its process nor its socket may be seen. A container that was started
 * again has the socket's file, and nobody listens.
 */
function isHidden(
  context: Pick<ReadContext, 'processes' | 'files'>,
  record: TmuxServerRecord,
): boolean {
  const { host, boot } = context.processes.self;
  const isThisBoot = record.host === host && record.boot === boot;
  return (
    isThisBoot && !canSeePids(context, record) && context.files.stat(record.socket) === undefined
  );
}

/** Ids of panes begin again with each server: the tag says whether it is the one we made. */
export function terminalOf(
  context: Pick<ReadContext, 'processes'>,
  { session }: Pick<Life, 'session'>,
  { server, panes }: ServerSeen,
): Terminal {
  const found = panes.get(session.tmux?.paneId ?? '');
  const isOurs = session.status === 'running' && found?.launchTag === session.launch;
  const pane = isOurs ? found : undefined;
  return { server, isRemote: isElsewhere(context, session, pane !== undefined), pane };
}

/** Looks at many sessions for their lives alone: no screen, no event. */
export async function observeLives(
  context: ReadContext,
  sessions: readonly Session[],
): Promise<ServerSeen & { readonly lives: readonly Life[] }> {
  const vitals = sessions.map((session) => findVitals(context, session));
  const request = { anyRunning: sessions.some(isInTmux), capture: [], always: true };
  const look = await askServer(context, request);
  const lives = vitals.map(({ info: _, ...each }) => ({
    ...each,
    ...terminalOf(context, each, look),
  }));
  return { ...look, lives };
}
