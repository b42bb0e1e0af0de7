import { readFileSync } from 'node:fs';
import { type Settings, withoutPowers } from '../domain/settings.ts';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import { nodeProgramRunner } from '../drivers/node/program-runner.ts';
import { sqliteClaims } from '../drivers/sqlite/claims.ts';
import { sqliteGate } from '../drivers/sqlite/gate.ts';
import { sqliteLock } from '../drivers/sqlite/lock.ts';
import { SqliteRegistry } from '../drivers/sqlite/registry.ts';
import type { TmuxClientOptions, TmuxRunner } from '../drivers/tmux/client.ts';
import { TmuxMultiplexer } from '../drivers/tmux/tmux-multiplexer.ts';
import { loadSettings } from '../drivers/yaml/config-file.ts';
import { FaceFile } from '../drivers/yaml/face-file.ts';
import type { RegistryFace } from '../ports/registry.ts';
import type { FleetContext } from '../services/fleet/context.ts';
import { asStateFolder } from '../services/workspace/find.ts';
import { ensureUserWorkspace, initWorkspace } from '../services/workspace/init.ts';
import { assertRegistryNotLost } from '../services/workspace/registry-files.ts';
import { conversationKeys, openAdapters } from './adapters.ts';
import {
  adapterPlaces,
  locateWorkspace,
  loggerFor,
  lookAround,
  type OpenOptions,
  type Surroundings,
  settingsOf,
  stateFolderOf,
  tmuxClientOf,
} from './surroundings.ts';

export interface OpenedFleet extends Disposable {
  readonly context: FleetContext;
  readonly face: RegistryFace;
}

/** What carries tmux command lists when not a process each. */
export type RunnerMaker = (client: TmuxClientOptions, settings: Settings) => TmuxRunner | undefined;

/** What commands that change the fleet need. */
export async function openFleet(
  options: OpenOptions,
  makeRunner: RunnerMaker = () => undefined,
): Promise<OpenedFleet> {
  const around = lookAround(options);
  const workspace = locateForChange(around);
  const settings = await settingsOf(around, workspace);
  const { files, clock, processes, env, uid, workspaceContext } = around;
  const logger = loggerFor(around, settings);
  assertRegistryNotLost(workspace.stateFolder, files);
  const registry = SqliteRegistry.open({
    path: workspacePaths.database(workspace.stateFolder),
    onWarning: (message) => logger.warn(message),
  });
  const adapters = openAdapters(adapterPlaces(around, workspace));
  await adapters.load(registry.read((reader) => reader.sessions().map(({ agent }) => agent)));
  const recorded = registry.read((reader) => reader.tmuxServer()?.socket);
  const reached = tmuxClientOf(around, workspace, settings, recorded);
  const client = { ...reached, gate: sqliteGate(`${reached.socket}.gate`, clock) };
  const context: FleetContext = {
    workspace,
    settings,
    adapters,
    multiplexer: new TmuxMultiplexer(client, makeRunner(client, settings)),
    processes,
    files,
    clock,
    logger,
    readRegistry: (fn) => registry.read(fn),
    env,
    uid,
    userFolder: workspaceContext.userFolder,
    registry,
    claims: sqliteClaims(`${workspaceContext.userFolder}/claims.db`),
    programs: nodeProgramRunner,
    signal: options.signal ?? new AbortController().signal,
  };
  const face = new FaceFile({
    path: workspacePaths.face(workspace.stateFolder),
    stampPath: workspacePaths.faceStamp(workspace),
    lock: sqliteLock(`${workspacePaths.host(workspace)}/face-lock.db`),
    read: (fn) => registry.read(fn),
    conversationKeys: conversationKeys(),
    now: () => new Date(clock.nowMs()),
  });
  return { context, face, [Symbol.dispose]: () => registry.close() };
}

/** What `mam init` made, and the settings of a config that came with it which count from now on. */
export interface Initialised {
  readonly workspace: Workspace;
  readonly powers: readonly string[];
}

/**
 * `mam init`. A config that cannot be read is an error before the workspace is made ours.
 *
 * @param folder - Absolute.
 * @throws {MamError} `config.invalid`, `cwd.missing`, `workspace.untrusted`.
 */
export async function init(options: OpenOptions, folder: string): Promise<Initialised> {
  const around = lookAround(options);
  const settings = await loadSettings(workspacePaths.config(asStateFolder(folder)));
  const workspace = initWorkspace(folder, defaultConfig(around), around.workspaceContext);
  return { workspace, powers: withoutPowers(settings).ignored };
}

/** The user's own workspace is made when it is first changed; any other by `mam init`. */
function locateForChange(around: Surroundings): Workspace {
  const stateFolder = stateFolderOf(around);
  const mayMake = around.options.makesWorkspace !== false;
  if (mayMake && stateFolder === around.workspaceContext.userFolder) {
    ensureUserWorkspace(defaultConfig(around), around.workspaceContext);
  }
  return locateWorkspace(around);
}

function defaultConfig({ distFolder }: Surroundings): string {
  return readFileSync(`${distFolder}/assets/config.yaml`, 'utf8');
}
