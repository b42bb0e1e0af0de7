import { hostname } from 'node:os';
import { workspacePaths } from '../domain/workspace.ts';
import { logFile } from '../drivers/node/log-file.ts';
import { notifier } from '../drivers/node/notifier.ts';
import { ControlRunner } from '../drivers/tmux/control/runner.ts';
import { fleetCare } from '../services/fleet/care/care.ts';
import { endEmptyServer } from '../services/fleet/empty-server.ts';
import { registerMonitor } from '../services/fleet/servers.ts';
import { Monitor, type MonitorHealth } from '../services/monitor/monitor.ts';
import { openFleet } from './open-fleet.ts';
import { locateWorkspace, lookAround, type OpenOptions } from './surroundings.ts';

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
  let monitor: Monitor | undefined;
  let link: ControlRunner | undefined;
  using fleet = await openFleet({ ...options, logger }, (client, { tmux }) => {
    const wake = () => monitor?.wake();
    link = tmux.controlMode
      ? new ControlRunner(client, { onNotice: wake, onEnd: wake })
      : undefined;
    return link;
  });
  const { context, face } = fleet;
  registerMonitor(context);
  const { settings, programs, env } = context;
  const told = notifier({ notify: settings.notify, programs, env, cwd: workspace.root });
  const own = { ...context, care: fleetCare(context) };
  monitor = new Monitor({ context: own, face, notifier: told, hostName: hostname(), link, onTurn });
  logger.warn(`monitor ${process.pid} begins`);
  await monitor.run(options.signal);
  await context.multiplexer.endKeeper();
  await endEmptyServer(context);
  logger.warn(`monitor ${process.pid} ends`);
}
