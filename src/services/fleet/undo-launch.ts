import { crashPoint } from '../../base/crash-point.ts';
import type { Launch } from '../../domain/launch.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { FleetContext } from './context.ts';
import { LaunchProcesses } from './launch-processes.ts';

/**
 * Takes back a launch that did not get as far as its session's row: what is left of it ends, and the
 * name is free again. Only for the launch's owner.
 *
 * The order is what makes it safe while a tmux client of the launch may still be under way: a pane that
 * is made from now on finds no launcher to run and closes by itself, and one that was made before carries
 * the tag. The row goes last, so that a kill on the way leaves it to the next command. It stays, and with it
 * the name is taken, while a process of the launch cannot be ended.
 */
export async function undoLaunch(context: FleetContext, launch: Launch): Promise<void> {
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
  registry.update((tx) => {
    if (tx.findLaunch(launch.id)?.state === 'reserved') tx.deleteLaunch(launch.id);
  });
}

function keep({ logger }: FleetContext, { session }: Launch, processes: LaunchProcesses): void {
  const pids = processes.look().members.map(({ pid }) => pid);
  logger.warn(
    `Name "${session.name}" stays taken: process(es) ${pids.join(', ')} of a start that was not finished could not be ended.`,
  );
}
