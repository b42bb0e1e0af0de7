import { hostname } from 'node:os';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import { logFile } from '../drivers/node/log-file.ts';
import { notifiers } from '../drivers/node/notifier.ts';
import { ControlRunner } from '../drivers/tmux/control/runner.ts';
import type { Logger } from '../ports/logger.ts';
import { fleetCare } from '../services/fleet/care/care.ts';
import { endEmptyServer } from '../services/fleet/empty-server.ts';
import { registerMonitor } from '../services/fleet/servers.ts';
import { Monitor, type MonitorHealth } from '../services/monitor/monitor.ts';
import { explainError } from './explain-error.ts';
import { openFleet } from './open-fleet.ts';
import {
  locateWorkspace,
  lookAround,
  type OpenOptions,
  type Surroundings,
  settingsOf,
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
  const logger = logFile(workspacePaths.monitorLog(locateWorkspace(around)), around.clock);
  logger.warn(`monitor ${process.pid} begins`);
  for (let isStart = true; !options.signal.aborted; isStart = false) {
    await watchOnce({ ...options, logger }, around, { isStart, onTurn });
  }
  logger.warn(`monitor ${process.pid} ends`);
}

interface Watching {
  readonly isStart: boolean;
  readonly onTurn: (health: MonitorHealth) => void;
}

/** Until the signal, or until what it was opened with is no more: the registry's file, or the settings. */
async function watchOnce(
  options: OpenOptions & { readonly logger: Logger; readonly signal: AbortSignal },
  around: Surroundings,
  { isStart, onTurn }: Watching,
): Promise<void> {
  const stale = new AbortController();
  const signal = AbortSignal.any([options.signal, stale.signal]);
  let monitor: Monitor | undefined;
  let link: ControlRunner | undefined;
  const basis = new Basis(around, options.logger);
  using fleet = await openFleet({ ...options, signal }, (client, { tmux }) => {
    const wake = () => monitor?.wake();
    link = tmux.controlMode
      ? new ControlRunner(client, { onNotice: wake, onEnd: wake })
      : undefined;
    return link;
  });
  const { context, face } = fleet;
  const { workspace, settings, programs, env, clock } = context;
  registerMonitor(context);
  const ways = notifiers({ notify: settings.notify, programs, clock, env, cwd: workspace.root });
  monitor = new Monitor({
    context: { ...context, care: fleetCare(context) },
    ...{ face, notifiers: ways, hostName: hostname(), link, isStart },
    abort: () => stale.abort(),
    onTurn: (health) => {
      onTurn(health);
      void basis.isStale().then((is) => is && stale.abort());
    },
  });
  await monitor.run(signal);
  if (!options.signal.aborted) return;
  await context.multiplexer.endKeeper();
  await endEmptyServer(context);
}

/** What a monitor was opened with. */
class Basis {
  readonly #around: Surroundings;
  readonly #workspace: Workspace;
  readonly #logger: Logger;
  #registry: number | undefined;
  #config: string;

  constructor(around: Surroundings, logger: Logger) {
    this.#around = around;
    this.#workspace = locateWorkspace(around);
    this.#logger = logger;
    this.#registry = this.#registryInode();
    this.#config = this.#configStamp();
  }

  /** Settings that cannot be read are told, and those that stand are kept. */
  async isStale(): Promise<boolean> {
    const registry = this.#registryInode();
    this.#registry ??= registry;
    // Whoever has the former one open writes for nobody.
    if (registry !== undefined && registry !== this.#registry) {
      this.#logger.warn('The registry is another file than before; it is opened anew.');
      return true;
    }
    const config = this.#configStamp();
    if (config === this.#config) return false;
    this.#config = config;
    try {
      await settingsOf(this.#around, this.#workspace);
      this.#logger.warn('The settings have changed; they are taken in.');
      return true;
    } catch (error) {
      this.#logger.warn(`The settings stay as they were: ${explainError(error).message}`);
      return false;
    }
  }

  #registryInode(): number | undefined {
    return this.#around.files.stat(workspacePaths.database(this.#workspace.stateFolder))?.inode;
  }

  #configStamp(): string {
    const stat = this.#around.files.stat(workspacePaths.config(this.#workspace.stateFolder));
    return `${stat?.inode} ${stat?.modifiedMs} ${stat?.sizeBytes}`;
  }
}
