import { crashPoint } from '../../base/crash-point.ts';
import { ulid } from '../../base/ulid.ts';
import { isMamError } from '../../domain/errors.ts';
import type { Launch } from '../../domain/launch.ts';
import { tmuxSessionName } from '../../domain/names.ts';
import { UNSEEN_OWNER_MS } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import { assertNameFree } from '../../domain/session-rules.ts';
import { parentOf } from '../../domain/workspace.ts';
import type { AgentAdapter, LaunchPlan } from '../../ports/agent-adapter.ts';
import type { NewSessionRequest, NewTmuxSession, PaneLook } from '../../ports/multiplexer.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { afterwards } from './afterwards.ts';
import { claimConversation } from './claims.ts';
import type { FleetContext } from './context.ts';
import { endEmptyServer } from './empty-server.ts';
import { writeEnvironmentNames } from './environment-names.ts';
import {
  findLivingParts,
  findSpawnedParts,
  launchFolder,
  putUp,
  recordSpawned,
  superseded,
} from './launch-records.ts';
import { sweepLaunchFolders } from './launch-sweep.ts';
import { type HeldOperation, heldOperation, letGo, takeOperation } from './operations.ts';
import { assertReachable } from './server-reach.ts';
import { prepareRegistration, registerServer } from './servers.ts';
import { renderStartFile } from './start-file.ts';
import { undoLaunch } from './undo-launch.ts';

export interface StartRequest {
  readonly kind: 'create' | 'resume';
  /** The session as it was when it was looked at; at a create, the one whose name it takes. */
  readonly former: Session | undefined;
  /** Asked once more in the transaction that reserves: what was decided on may be so no longer. */
  readonly mayStart?: (current: Session) => boolean;
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

/**
 * Starts an agent: the launch's row first, then its folder, then the pane with tags that name the row,
 * then the session's row. A kill at any step leaves something that the next command can finish or undo.
 *
 * @throws {MamError} `name.taken`, `conversation.claimed`, `launch.superseded`, `session.busy`,
 *   `tmux.unreachable`, other tmux codes; then nothing of it is left.
 */
export async function start(context: FleetContext, request: StartRequest): Promise<StartedLaunch> {
  assertReachable(context, `start "${request.session.name}"`);
  const { launch, operation } = reserve(context, request);
  const { logger } = context;
  const about = { session: request.session.name, launch: launch.id };
  crashPoint('launch.reserved');
  try {
    claimConversation(context, request.session);
    prepareRegistration(context);
    prepareFolder(context, request);
    logger.debug('launch prepared', about);
    crashPoint('launch.prepared');
    const place = await newTmuxSession(context, request.session);
    logger.debug('pane made', { ...about, paneId: place.paneId });
    crashPoint('launch.spawned');
    const parts = findSpawnedParts(context, place);
    const session = operation.update((tx) => recordSpawned(tx, request.session, parts));
    crashPoint('launch.recorded');
    registerServer(context);
    await afterwards(context, 'Folders of old launches could not be removed', () =>
      sweepLaunchFolders(context),
    );
    return { session, operation };
  } catch (error) {
    await undo(context, launch, operation, request.former);
    throw error;
  }
}

/** What cannot be undone now stays reserved, for the next command; the first error is the one to tell. */
async function undo(
  context: FleetContext,
  launch: Launch,
  operation: HeldOperation,
  former: Session | undefined,
): Promise<void> {
  await afterwards(context, 'The start could not be taken back yet', () =>
    undoLaunch(context, launch, former),
  );
  await letGo(context, launch.session, operation);
  await afterwards(context, 'The tmux server could not be looked after', () =>
    endEmptyServer(context),
  );
}

/** The row exists before anything else does; while it is `reserved` it alone holds a new name. */
function reserve(
  context: FleetContext,
  { session, kind, former, mayStart }: StartRequest,
): { launch: Launch; operation: HeldOperation } {
  const { registry, processes, clock } = context;
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
  const fence = registry.update((tx) => {
    if (kind === 'create') assertNameStillFree(tx, session, former?.launch);
    else assertStillEnded(tx, session, former?.launch, mayStart);
    tx.putLaunch(launch);
    return takeOperation(tx, context, session, kind);
  });
  return { launch, operation: heldOperation(context, session.id, session.name, fence) };
}

/** Another start of this name may have come and failed since ours looked for what is left of the former. */
function assertNameStillFree(
  tx: RegistryTransaction,
  session: Session,
  formerLaunch: string | undefined,
): void {
  const holder = tx.findSession(session.name);
  assertNameFree(holder, session.name);
  if (holder?.launch !== formerLaunch) throw superseded(session);
}

/** Another resume of the same session may have been quicker since ours looked: two must not run. */
function assertStillEnded(
  tx: RegistryTransaction,
  session: Session,
  formerLaunch: string | undefined,
  mayStart: StartRequest['mayStart'] = () => true,
): void {
  const current = tx.findSessionById(session.id);
  if (!current || current.status === 'running' || current.launch !== formerLaunch) {
    throw superseded(session);
  }
  if (!mayStart(current)) throw superseded(session);
}

/** A held pane of an ended launch may still have the name: it shows what nobody can come back to. */
async function newTmuxSession(context: FleetContext, session: Session): Promise<NewTmuxSession> {
  const folder = launchFolder(context, session.launch);
  const request: NewSessionRequest = {
    name: tmuxSessionName(session.agent, session.role, session.name),
    argv: ['/bin/sh', `${folder}/launcher.sh`, folder],
    identity: { name: session.name, role: session.role, agent: session.agent },
    workspaceId: context.workspace.id,
    sessionId: session.id,
    launchId: session.launch,
  };
  try {
    return await context.multiplexer.newSession(request);
  } catch (error) {
    const isFree = isMamError(error, 'name.taken') && (await endLeftover(context, request.name));
    if (!isFree) throw error;
    return context.multiplexer.newSession(request);
  }
}

async function endLeftover(context: FleetContext, tmuxName: string): Promise<boolean> {
  const { multiplexer, workspace, registry } = context;
  const look = await multiplexer.look([]);
  const pane = (look.server === 'up' ? look.panes : []).find(
    ({ sessionName, workspaceTag }) => sessionName === tmuxName && workspaceTag === workspace.id,
  );
  const launch = pane && registry.read((reader) => reader.findLaunch(pane.launchTag));
  if (!pane || (launch && launch.state !== 'ended')) return false;
  await multiplexer.killSession(pane.sessionId, pane.launchTag);
  return true;
}

/** The pane that a launch was given: the first one of its session, whatever a person split off since. */
export function findLaunchPane(panes: readonly PaneLook[], launchId: string): PaneLook | undefined {
  const number = ({ paneId }: PaneLook) => Number(paneId.slice(1));
  return panes
    .filter(({ launchTag }) => launchTag === launchId)
    .sort((a, b) => number(a) - number(b))[0];
}

function prepareFolder(context: FleetContext, { session, plan, env, adapter }: StartRequest): void {
  const { files } = context;
  const folder = launchFolder(context, session.launch);
  files.makeFolder(`${folder}/spool`);
  files.copyAsset('launcher.sh', `${folder}/launcher.sh`);
  files.copyAsset('hook.sh', `${folder}/hook`);
  for (const { name, content } of plan.files) {
    files.makeFolder(parentOf(`${folder}/${name}`));
    files.write(`${folder}/${name}`, content, 0o600);
  }
  for (const { name, target } of plan.links ?? []) files.link(target, `${folder}/${name}`);
  // Kept open after status 0 as well, until the agent was ready: an early end must be seen.
  files.write(`${folder}/hold`, '', 0o600);
  writeEnvironmentNames(context, folder, env, adapter);
  const start = renderStartFile({
    cwd: session.cwd,
    argv: plan.argv,
    env: { ...env, ...plan.env },
  });
  files.write(`${folder}/start`, start, 0o600);
}

/** The agent is up: what its processes are is written down, and an end with 0 may close its pane. */
export function recordUp(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  pane: PaneLook,
): Session {
  const parts = findLivingParts(context, session, pane);
  const up = operation.update((tx) => putUp(tx, session, parts));
  context.logger.debug('agent is up', { session: up.name, pid: up.agentProcess?.pid });
  crashPoint('launch.up');
  context.files.remove(`${launchFolder(context, session.launch)}/hold`);
  return up;
}
