import { crashPoint } from '../../base/crash-point.ts';
import { ulid } from '../../base/ulid.ts';
import { MamError } from '../../domain/errors.ts';
import type { Launch } from '../../domain/launch.ts';
import { tmuxSessionName } from '../../domain/names.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session, TmuxServerRecord } from '../../domain/session.ts';
import { holdsName } from '../../domain/session-rules.ts';
import type { AgentAdapter, LaunchPlan } from '../../ports/agent-adapter.ts';
import type { NewTmuxSession, PaneLook } from '../../ports/multiplexer.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import type { FleetContext } from './context.ts';
import { readIdentityFile } from './launch-folder.ts';
import { type HeldOperation, heldOperation, takeOperation } from './operations.ts';
import { paneRecord } from './pane-record.ts';
import { registerServer } from './servers.ts';
import { renderStartFile } from './start-file.ts';

/** How long a launch whose owner cannot be seen is left alone. */
const UNSEEN_OWNER_MS = 10 * 60_000;

export interface StartRequest {
  readonly kind: 'create' | 'resume';
  /** What the session becomes when its pane is there; `launch` names the new launch. */
  readonly session: Session;
  readonly adapter: AgentAdapter;
  readonly plan: LaunchPlan;
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedLaunch {
  readonly session: Session;
  readonly operation: HeldOperation;
}

export function newLaunchId(context: FleetContext): string {
  return ulid(context.clock.nowMs());
}

export function launchFolder(context: FleetContext, launch: string): string {
  return workspacePaths.launch(context.workspace, launch);
}

/**
 * Starts an agent: the launch's row first, then its folder, then the pane with tags that name the row,
 * then the session's row. A kill at any step leaves something that the next command can finish or undo.
 *
 * @throws {MamError} `name.taken`, `session.busy`, tmux codes; then nothing of it is left.
 */
export async function start(context: FleetContext, request: StartRequest): Promise<StartedLaunch> {
  const operation = reserve(context, request);
  crashPoint('launch.reserved');
  try {
    prepareFolder(context, request);
    crashPoint('launch.prepared');
    const place = await context.multiplexer.newSession({
      name: tmuxSessionName(request.session.agent, request.session.role, request.session.name),
      argv: ['/bin/sh', `${launchFolder(context, request.session.launch)}/launcher.sh`].concat(
        launchFolder(context, request.session.launch),
      ),
      workspaceId: context.workspace.id,
      sessionId: request.session.id,
      launchId: request.session.launch,
    });
    crashPoint('launch.spawned');
    const session = operation.update((tx) => recordSpawned(tx, context, request.session, place));
    crashPoint('launch.recorded');
    registerServer(context);
    return { session, operation };
  } catch (error) {
    undoReserved(context, request.session.launch, request.session.id);
    throw error;
  }
}

/** The row exists before anything else does; while it is `reserved` it alone holds a new name. */
function reserve(context: FleetContext, { session, kind }: StartRequest): HeldOperation {
  const { registry, processes, clock } = context;
  const fence = registry.update((tx) => {
    const holder = tx.findSession(session.name);
    if (kind === 'create' && holder && holdsName(holder)) throw nameTaken(holder);
    const launch: Launch = {
      id: session.launch,
      sessionId: session.id,
      kind,
      state: 'reserved',
      owner: processes.self,
      deadlineMs: clock.nowMs() + UNSEEN_OWNER_MS,
      session,
      paneId: null,
      panePid: null,
      recorder: null,
      lastNumber: 0,
      endedAt: null,
    };
    tx.putLaunch(launch);
    return takeOperation(tx, context, session, kind);
  });
  return heldOperation(context, session.id, session.name, fence);
}

function prepareFolder(context: FleetContext, { session, plan, env }: StartRequest): void {
  const { files } = context;
  const folder = launchFolder(context, session.launch);
  files.makeFolder(`${folder}/spool`);
  files.copyAsset('launcher.sh', `${folder}/launcher.sh`);
  files.copyAsset('hook.sh', `${folder}/hook`);
  for (const { name, content } of plan.files) files.write(`${folder}/${name}`, content, 0o600);
  // Kept open after status 0 as well, until the agent was ready: an early end must be seen.
  files.write(`${folder}/hold`, '', 0o600);
  const start = renderStartFile({
    cwd: session.cwd,
    argv: plan.argv,
    env: { ...env, ...plan.env },
    clear: 'all',
  });
  files.write(`${folder}/start`, start, 0o600);
}

/** `running` begins here: there is a pane, and it names this launch. */
export function recordSpawned(
  tx: RegistryTransaction,
  context: FleetContext,
  planned: Session,
  place: NewTmuxSession,
): Session {
  const { processes, multiplexer } = context;
  const launch = tx.findLaunch(planned.launch);
  if (!launch)
    throw new MamError('launch.superseded', `Launch ${planned.launch} was undone meanwhile.`);
  const panePid = identityOf(context, place.panePid);
  const tmux = {
    socket: multiplexer.socket,
    sessionId: place.sessionId,
    paneId: place.paneId,
    sessionName: place.sessionName,
  };
  const session: Session = { ...planned, status: 'running', tmux, ended: null, stoppedAt: null };
  const former = tx.findSession(planned.name);
  if (former && former.id !== planned.id) forget(tx, former);
  tx.putSession(session);
  tx.putLaunch({
    ...launch,
    state: 'spawned',
    session,
    paneId: place.paneId,
    panePid: panePid ?? null,
  });
  const server = identityOf(context, place.serverPid);
  if (server) {
    const { host, boot } = processes.self;
    const record: TmuxServerRecord = { socket: multiplexer.socket, process: server, host, boot };
    tx.setTmuxServer(record);
  }
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
  tx.deleteDeliveries(former.id);
  tx.deleteOperation(former.id);
  tx.deleteSession(former.id);
}

/** The agent is up: what its processes are is written down, and the pane may close by itself. */
export function recordUp(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  pane: PaneLook,
): Session {
  const folder = launchFolder(context, session.launch);
  const agent = readIdentityFile(context.files, `${folder}/agent`) ?? null;
  const recorder = readIdentityFile(context.files, `${folder}/inner`) ?? null;
  const up: Session = { ...session, agentProcess: agent, pane: paneRecord(context, pane, agent) };
  const changed = operation.update((tx) => {
    const current = tx.findSessionById(session.id) ?? up;
    const launch = tx.findLaunch(session.launch);
    if (!launch || current.launch !== session.launch) throw superseded(session);
    const next: Session = { ...current, agentProcess: up.agentProcess, pane: up.pane };
    tx.putSession(next);
    tx.putLaunch({ ...launch, state: 'up', session: next, recorder });
    return next;
  });
  context.files.remove(`${folder}/hold`);
  return changed;
}

function superseded(session: Session): MamError {
  return new MamError('launch.superseded', `Session "${session.name}" was started anew meanwhile.`);
}

function identityOf({ processes }: FleetContext, pid: number): ProcessIdentity | undefined {
  const info = processes.find(pid);
  return info && { pid, startTicks: info.startTicks };
}

/** A launch that made no pane: its row and its folder go, and with them the name. */
export function undoReserved(context: FleetContext, launch: string, sessionId: string): void {
  const undone = context.registry.update((tx) => {
    if (tx.findLaunch(launch)?.state !== 'reserved') return false;
    tx.deleteLaunch(launch);
    tx.deleteOperation(sessionId);
    return true;
  });
  // Without its folder a pane that is still being made has no launcher to run, and closes.
  if (undone) context.files.remove(launchFolder(context, launch));
}

function nameTaken(holder: Session): MamError {
  return new MamError(
    'name.taken',
    `Name "${holder.name}" is taken: a ${holder.agent} session, ${holder.status}.`,
    { session: holder.name, status: holder.status },
    {
      hint:
        holder.status === 'stopped'
          ? `mam resume ${holder.name} brings it back; mam stop ${holder.name} --purge-conversation frees the name`
          : `mam status ${holder.name}`,
    },
  );
}
