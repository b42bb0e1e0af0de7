import { hostname } from 'node:os';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import { logFile } from '../drivers/node/log-file.ts';
import { notifier } from '../drivers/node/notifier.ts';
import { ControlRunner } from '../drivers/tmux/control/runner.ts';
import type { Logger } from '../ports/logger.ts';
import { fleetCare } from '../services/fleet/care/care.ts';
import { endEmptyServer } from '../services/fleet/empty-server.ts';
import { registerMonitor } from '../services/fleet/servers.ts';
import { Monitor, type MonitorHealth } from '../services/monitor/monitor.ts';
import { openFleet } from './open-fleet.ts';
import {
  locateWorkspace,
  lookAround,
  type OpenOptions,
  type Surroundings,
} from './surroundings.ts';

/**
 * Keeps registry and tmux in agreement until the signal, and leaves no server that nobody needs. Its
 * registry waits for locks, and its thread with it: whoever must not wait runs in another one.
 */
export async function watchFleet(
  options: OpenOptions & { readonly signal: AbortSignal },
  onTurn: (health: MonitorHealth) => void,
): Promise<void> {
  const around = lookAround(options);
  const workspace = locateWorkspace(around);
  const logger = logFile(workspacePaths.monitorLog(workspace), around.clock);
  logger.warn(`monitor ${process.pid} begins`);
  while (!options.signal.aborted) {
    const isReplaced = registryFile(around, workspace);
    await watchRegistry({ ...options, logger }, onTurn, isReplaced);
  }
  logger.warn(`monitor ${process.pid} ends`);
}

/** Until the signal, or until another registry lies in the place of the one that was opened. */
async function watchRegistry(
  options: OpenOptions & { readonly logger: Logger; readonly signal: AbortSignal },
  onTurn: (health: MonitorHealth) => void,
  isReplaced: () => boolean,
): Promise<void> {
  const replaced = new AbortController();
  const signal = AbortSignal.any([options.signal, replaced.signal]);
  let monitor: Monitor | undefined;
  let link: ControlRunner | undefined;
  using fleet = await openFleet({ ...options, signal }, (client, { tmux }) => {
    const wake = () => monitor?.wake();
    link = tmux.controlMode
      ? new ControlRunner(client, { onNotice: wake, onEnd: wake })
      : undefined;
    return link;
  });
  const { context, face } = fleet;
  const { workspace, settings, programs, env } = context;
  registerMonitor(context);
  const told = notifier({ notify: settings.notify, programs, env, cwd: workspace.root });
  monitor = new Monitor({
    context: { ...context, care: fleetCare(context) },
    ...{ face, notifier: told, hostName: hostname(), link },
    onTurn: (health) => {
      onTurn(health);
      if (isReplaced()) replaced.abort();
    },
  });
  await monitor.run(signal);
  if (!options.signal.aborted) {
    options.logger.warn('The registry is another file than before; it is opened anew.');
    return;
  }
  await context.multiplexer.endKeeper();
  await endEmptyServer(context);
}

/** @returns Whether another file lies there by now: whoever has the former open writes for nobody. */
function registryFile({ files }: Surroundings, workspace: Workspace): () => boolean {
  const path = workspacePaths.database(workspace.stateFolder);
  const inode = () => files.stat(path)?.inode;
  let before = inode();
  return () => {
    const now = inode();
    before ??= now;
    return now !== undefined && now !== before;
  };
}
