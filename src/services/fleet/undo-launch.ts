import { crashPoint } from '../../base/crash-point.ts';
import type { Launch } from '../../domain/launch.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { releaseConversations } from './claims.ts';
import type { FleetContext } from './context.ts';
import { LaunchProcesses } from './launch-processes.ts';

/**
 * Takes back a launch that its start gave up: what is left of it ends, and the name is free again, or the
 * session is what it was. Only for the launch's owner.
 *
 * The order is what makes it safe while a tmux client of the launch may still be under way: a pane that
 * is made from now on finds no launcher to run and closes by itself, and one that was made before carries
 * the tag. The row goes last, so that a kill on the way leaves it to the next command. It stays, and with it
 * the name is taken, while a process of the launch cannot be ended.
 *
 * @param former - A resumed session as it was before.
 */
export async function undoLaunch(
  context: FleetContext,
  launch: Launch,
  former?: Session,
): Promise<void> {
  const { multiplexer, registry, files, workspace } = context;
  const folder = workspacePaths.launch(workspace, launch.id);
  for (const name of ['launcher.sh', 'start']) files.remove(`${folder}/${name}`);
  crashPoint('undo.disarmed');
  const look = await multiplexer.look([]);
  const panes = look.server === 'up' ? look.panes : [];
  for (const pane of panes.filter(({ launchTag }) => launchTag === launch.id)) {
    await multiplexer.killSession(pane.sessionId, launch.id);
  }
  const processes = new LaunchProcesses(context, launch.session);
  if (!(await processes.end())) return keep(context, launch, processes);
  crashPoint('undo.ended');
  files.remove(folder);
  await releaseConversations(context, launch.id);
  registry.update((tx) => {
    const state = tx.findLaunch(launch.id)?.state;
    if (state === 'spawned') takeBackSession(tx, launch, former);
    if (state === 'reserved') tx.deleteLaunch(launch.id);
  });
}

/** Its row was there already. */
function takeBackSession(
  tx: RegistryTransaction,
  { id, sessionId, kind }: Launch,
  former: Session | undefined,
): void {
  if (tx.findSessionById(sessionId)?.launch !== id) return;
  if (kind === 'create') {
    tx.deleteDeliveries(sessionId);
    tx.deleteSession(sessionId);
  } else if (former) tx.putSession(former);
  else return;
  tx.deleteLaunch(id);
}

function keep({ logger }: FleetContext, { session }: Launch, processes: LaunchProcesses): void {
  const pids = processes.look().members.map(({ pid }) => pid);
  logger.warn(
    `Name "${session.name}" stays taken: process(es) ${pids.join(', ')} of a start that was not finished could not be ended.`,
  );
}
