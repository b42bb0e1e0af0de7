import { readFileSync } from 'node:fs';
import { nodeProgramRunner } from '../drivers/node/program-runner.ts';
import { sqliteLock } from '../drivers/sqlite/lock.ts';
import { SqliteRegistry } from '../drivers/sqlite/registry.ts';
import { FaceFile } from '../drivers/yaml/face-file.ts';
import type { RegistryFace } from '../ports/registry.ts';
import type { FleetContext } from '../services/fleet/context.ts';
import { ensureUserWorkspace, initWorkspace } from '../services/workspace/init.ts';
import { assertRegistryNotLost } from '../services/workspace/registry-files.ts';
import { type Workspace, workspacePaths } from '../services/workspace/workspace.ts';
import { builtInAdapters, conversationKeys } from './adapters.ts';
import {
  locateWorkspace,
  loggerFor,
  lookAround,
  multiplexerOf,
  type OpenOptions,
  type Surroundings,
  settingsOf,
  stateFolderOf,
} from './surroundings.ts';

export interface OpenedFleet extends Disposable {
  readonly context: FleetContext;
  readonly face: RegistryFace;
}

/** What commands that change the fleet need. */
export async function openFleet(options: OpenOptions): Promise<OpenedFleet> {
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
  const adapters = builtInAdapters(`${around.distFolder}/demo-agent.js`);
  const recorded = registry.read((reader) => reader.tmuxServer()?.socket);
  const context: FleetContext = {
    workspace,
    settings,
    adapters,
    multiplexer: multiplexerOf(around, workspace, settings, recorded),
    processes,
    files,
    clock,
    logger,
    readRegistry: (fn) => registry.read(fn),
    env,
    uid,
    userFolder: workspaceContext.userFolder,
    registry,
    programs: nodeProgramRunner,
    signal: options.signal ?? new AbortController().signal,
  };
  const face = new FaceFile({
    path: workspacePaths.face(workspace.stateFolder),
    stampPath: workspacePaths.faceStamp(workspace),
    lock: sqliteLock(`${workspacePaths.host(workspace)}/face-lock.db`),
    read: (fn) => registry.read(fn),
    conversationKeys: conversationKeys(adapters),
    now: () => new Date(clock.nowMs()),
  });
  return { context, face, [Symbol.dispose]: () => registry.close() };
}

/** `mam init`. @param folder - Absolute. */
export function init(options: OpenOptions, folder: string): Workspace {
  const around = lookAround(options);
  return initWorkspace(folder, defaultConfig(around), around.workspaceContext);
}

/** The user's own workspace is made when it is first changed; any other by `mam init`. */
function locateForChange(around: Surroundings): Workspace {
  const stateFolder = stateFolderOf(around);
  if (stateFolder === around.workspaceContext.userFolder) {
    ensureUserWorkspace(defaultConfig(around), around.workspaceContext);
  }
  return locateWorkspace(around);
}

function defaultConfig({ distFolder }: Surroundings): string {
  return readFileSync(`${distFolder}/assets/config.yaml`, 'utf8');
}
