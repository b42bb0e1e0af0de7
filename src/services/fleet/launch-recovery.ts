import { crashPoint } from '../../base/crash-point.ts';
import type { Launch } from '../../domain/launch.ts';
import { isOwnerAlive, isSameOwner, UNSEEN_OWNER_MS } from '../../domain/owner.ts';
import type { ServerLook } from '../../ports/multiplexer.ts';
import { deriveActivity } from './activity.ts';
import type { FleetContext } from './context.ts';
import {
  findLivingParts,
  findSpawnedParts,
  launchFolder,
  putUp,
  recordSpawned,
} from './launch-records.ts';
import { findLaunchPane } from './launching.ts';
import { observeSession } from './observe.ts';
import { isUnderWay } from './operations.ts';
import { livingServer } from './server-reach.ts';
import { registerServer } from './servers.ts';
import { undoLaunch } from './undo-launch.ts';

/**
 * Finishes or undoes what killed commands left half started. Called by every command that changes the
 * fleet, before its own work. A pane that carries a launch's tag finishes it; without one it is undone.
 */
export async function recoverLaunches(context: FleetContext): Promise<void> {
  const open = context.registry.read((reader) => reader.unfinishedLaunches());
  for (const launch of open.filter((each) => isAbandoned(context, each))) {
    if (launch.state === 'reserved') await recoverReserved(context, launch);
    else if (launch.state === 'spawned') await recoverSpawned(context, launch);
  }
}

async function recoverReserved(context: FleetContext, launch: Launch): Promise<void> {
  const look = await context.multiplexer.look([]);
  // Whether there is a pane cannot be seen now: whoever comes when the server answers again finds out.
  if (look.server === 'none' && livingServer(context)) return;
  const owned = takeOver(context, launch);
  if (!owned) return;
  crashPoint('recover.taken');
  const pane = look.server === 'up' ? findLaunchPane(look.panes, launch.id) : undefined;
  const about = { session: owned.session.name, launch: owned.id };
  context.logger.debug(pane ? 'abandoned launch finished' : 'abandoned launch undone', about);
  if (!pane) return undoLaunch(context, owned);
  const parts = findSpawnedParts(context, { ...pane, serverPid: serverPid(look) });
  context.registry.update((tx) => recordSpawned(tx, owned.session, parts));
  registerServer(context);
}

/** One recoverer only: two would undo and finish the same launch. The dead owner's operation goes. */
function takeOver(context: FleetContext, launch: Launch): Launch | undefined {
  const { registry, processes, clock } = context;
  return registry.update((tx) => {
    const current = tx.findLaunch(launch.id);
    if (current?.state !== 'reserved' || !isSameOwner(current.owner, launch.owner))
      return undefined;
    const deadlineMs = clock.nowMs() + UNSEEN_OWNER_MS;
    const owned: Launch = { ...current, owner: processes.self, deadlineMs };
    tx.putLaunch(owned);
    const operation = tx.findOperation(launch.sessionId);
    if (operation && isSameOwner(operation.owner, launch.owner))
      tx.deleteOperation(launch.sessionId);
    return owned;
  });
}

/** Nobody waited until this agent was ready: when it is, what it runs as is written down. */
async function recoverSpawned(context: FleetContext, launch: Launch): Promise<void> {
  const { registry, clock, files } = context;
  const session = registry.read((reader) => reader.findSessionById(launch.sessionId));
  if (session?.launch !== launch.id) return;
  const seen = await observeSession(context, session);
  const { state } = deriveActivity(seen, clock.nowMs());
  if (!seen.pane || !seen.agentAlive || state === 'starting' || state === 'unknown') return;
  const parts = findLivingParts(context, session, seen.pane);
  registry.update((tx) => {
    if (tx.findLaunch(launch.id)?.state === 'spawned') putUp(tx, session, parts);
  });
  files.remove(`${launchFolder(context, launch.id)}/hold`);
}

function isAbandoned(
  { processes, clock }: FleetContext,
  { owner, deadlineMs, sessionId }: Launch,
): boolean {
  if (isSameOwner(owner, processes.self)) return !isUnderWay(sessionId);
  return !isOwnerAlive(owner, deadlineMs, processes, clock.nowMs());
}

function serverPid(look: ServerLook): number {
  return look.server === 'up' ? (look.pid ?? 0) : 0;
}
