import { MamError } from '../../domain/errors.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { PaneRecord, Session, TmuxPlace, TmuxServerRecord } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { NewTmuxSession, PaneLook } from '../../ports/multiplexer.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import type { FleetContext } from './context.ts';
import { readIdentityFile } from './launch-folder.ts';
import { paneRecord } from './pane-record.ts';

export function launchFolder(
  { workspace }: Pick<FleetContext, 'workspace'>,
  launch: string,
): string {
  return workspacePaths.launch(workspace, launch);
}

/** What a start has made in tmux, by pid and start time. */
export interface SpawnedParts {
  readonly tmux: TmuxPlace;
  readonly panePid: ProcessIdentity | null;
  /** Undefined when it has ended already. */
  readonly server: TmuxServerRecord | undefined;
}

/** Reads the process table: outside of any transaction. */
export function findSpawnedParts(context: FleetContext, place: NewTmuxSession): SpawnedParts {
  const { socket } = context.multiplexer;
  const { sessionId, paneId, sessionName } = place;
  return {
    tmux: { socket, sessionId, paneId, sessionName },
    panePid: identityOf(context, place.panePid) ?? null,
    server: serverRecord(context, place.serverPid),
  };
}

/** Our tmux server as it is remembered; undefined when it has ended already. */
export function serverRecord(context: FleetContext, pid: number): TmuxServerRecord | undefined {
  const { socket } = context.multiplexer;
  const { host, boot, pidNamespace } = context.processes.self;
  const process = identityOf(context, pid);
  return process && { socket, process, host, boot, pidNamespace };
}

/** `running` begins here: there is a pane, and it names this launch. */
export function recordSpawned(
  tx: RegistryTransaction,
  planned: Session,
  { tmux, panePid, server }: SpawnedParts,
): Session {
  const launch = tx.findLaunch(planned.launch);
  if (launch?.state !== 'reserved')
    throw new MamError('launch.superseded', `Launch ${planned.launch} was undone meanwhile.`);
  const session: Session = { ...planned, status: 'running', tmux, ended: null, stoppedAt: null };
  const former = tx.findSession(planned.name);
  if (former && former.id !== planned.id) forget(tx, former);
  tx.putSession(session);
  tx.putLaunch({ ...launch, state: 'spawned', session, paneId: tmux.paneId, panePid });
  if (server) tx.setTmuxServer(server);
  return session;
}

/** A terminated session gives its name away; its conversations stay known. */
function forget(tx: RegistryTransaction, former: Session): void {
  const ids = [...former.conversationHistory, former.conversationId ?? ''].filter(
    (id) => id !== '',
  );
  for (const id of ids) {
    tx.rememberIdentity({
      agent: former.agent,
      id,
      cwd: former.cwd,
      firstSeen: former.createdAt,
      lastSeen: former.ended?.at ?? former.createdAt,
      session: former.name,
      firstPromptHash: null,
    });
  }
  tx.deleteLaunches(former.id);
  tx.deleteDeliveries(former.id);
  tx.deleteOperation(former.id);
  tx.deleteSession(former.id);
}

/** What the agent's processes are, once it is up. */
export interface LivingParts {
  readonly agent: ProcessIdentity | null;
  readonly recorder: ProcessIdentity | null;
  readonly pane: PaneRecord;
}

/** Reads files and the process table: outside of any transaction. */
export function findLivingParts(
  context: FleetContext,
  { launch }: Session,
  pane: PaneLook,
): LivingParts {
  const folder = launchFolder(context, launch);
  const agent = readIdentityFile(context.files, `${folder}/agent`) ?? null;
  const recorder = readIdentityFile(context.files, `${folder}/inner`) ?? null;
  return { agent, recorder, pane: paneRecord(context, pane, agent) };
}

/**
 * The agent is up: what its processes are is written down.
 *
 * @throws {MamError} `launch.superseded` when the session is on another launch by now.
 */
export function putUp(tx: RegistryTransaction, session: Session, parts: LivingParts): Session {
  const current = tx.findSessionById(session.id);
  const launch = tx.findLaunch(session.launch);
  if (!launch || current?.launch !== session.launch) throw superseded(session);
  const up: Session = { ...current, agentProcess: parts.agent, pane: parts.pane };
  tx.putSession(up);
  tx.putLaunch({ ...launch, state: 'up', session: up, recorder: parts.recorder });
  return up;
}

export function superseded(session: Session): MamError {
  return new MamError('launch.superseded', `Session "${session.name}" was started anew meanwhile.`);
}

function identityOf({ processes }: FleetContext, pid: number): ProcessIdentity | undefined {
  const info = processes.find(pid);
  return info && { pid, startTicks: info.startTicks };
}
