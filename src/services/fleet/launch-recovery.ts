import type { Launch } from '../../domain/launch.ts';
import { isOwnerAlive } from '../../domain/owner.ts';
import type { FleetContext } from './context.ts';
import { recordSpawned, undoReserved } from './launching.ts';
import { registerServer } from './servers.ts';

/**
 * Finishes or undoes what killed commands left half started. Called by every command that changes the
 * fleet, before its own work. A pane that carries a launch's tag finishes it; without one it is undone.
 */
export async function recoverLaunches(context: FleetContext): Promise<void> {
  const { registry, processes, clock } = context;
  const open = registry.read((reader) => reader.openLaunches());
  const abandoned = open.filter(
    ({ state, owner, deadlineMs }) =>
      state === 'reserved' && !isOwnerAlive(owner, deadlineMs, processes, clock.nowMs()),
  );
  for (const launch of abandoned) await recoverLaunch(context, launch);
}

async function recoverLaunch(context: FleetContext, launch: Launch): Promise<void> {
  const look = await context.multiplexer.look([]);
  const pane =
    look.server === 'up' ? look.panes.find(({ launchTag }) => launchTag === launch.id) : undefined;
  if (!pane || look.server !== 'up') return undoReserved(context, launch.id, launch.sessionId);
  context.registry.update((tx) => {
    const current = tx.findLaunch(launch.id);
    if (current?.state !== 'reserved') return;
    recordSpawned(tx, context, current.session, { ...pane, serverPid: look.pid ?? 0 });
    tx.deleteOperation(launch.sessionId);
  });
  registerServer(context);
}
