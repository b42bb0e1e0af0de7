import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, withoutPowers } from '../domain/settings.ts';
import { socketPath, type Workspace, workspacePaths } from '../domain/workspace.ts';
import { systemClock } from '../drivers/node/clock.ts';
import { nodeFiles } from '../drivers/node/files.ts';
import { openProcessTable } from '../drivers/node/process-table.ts';
import type { TmuxClientOptions } from '../drivers/tmux/client.ts';
import { TmuxMultiplexer } from '../drivers/tmux/tmux-multiplexer.ts';
import { loadSettings } from '../drivers/yaml/config-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Files } from '../ports/files.ts';
import type { Logger } from '../ports/logger.ts';
import type { Multiplexer } from '../ports/multiplexer.ts';
import type { ProcessTable } from '../ports/process-table.ts';
import { findStateFolder, userFolder } from '../services/workspace/find.ts';
import { openWorkspace, type WorkspaceContext } from '../services/workspace/open.ts';
import type { AdapterPlaces } from './adapters.ts';

const TMUX_TIMEOUT_MS = 15_000;

/** What a caller may say; everything has a default from the process. */
export interface OpenOptions {
  /** A folder, or its `.mam`. */
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Gets warnings and every step. Default: standard error, and steps only where they are asked for. */
  readonly logger?: Logger;
  /** Steps go to standard error too, as with `log.level: debug`. */
  readonly verbose?: boolean;
  readonly clock?: Clock;
  /** Whether the user's own workspace is made where there is none. Default true. */
  readonly makesWorkspace?: boolean;
}

/** The caller and the machine, before any workspace is known. */
export interface Surroundings {
  readonly options: OpenOptions;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly uid: number;
  readonly files: Files;
  readonly clock: Clock;
  readonly processes: ProcessTable;
  readonly logger: Logger;
  readonly workspaceContext: WorkspaceContext;
  readonly distFolder: string;
}

export function lookAround(options: OpenOptions): Surroundings {
  const env = definedOnly(options.env ?? process.env);
  const distFolder = bundleFolder();
  const files = nodeFiles(join(distFolder, 'assets'));
  const processes = openProcessTable();
  const uid = process.getuid?.() ?? 0;
  const workspaceContext = {
    files,
    uid,
    host: processes.self.host,
    userFolder: userFolder(env),
  };
  return {
    options,
    env,
    cwd: options.cwd ?? process.cwd(),
    uid,
    files,
    clock: options.clock ?? systemClock,
    processes,
    logger: options.logger ?? stderrLogger(options.verbose === true),
    workspaceContext,
    distFolder,
  };
}

/** The workspace that the caller means. @throws {MamError} `workspace.*` */
export function locateWorkspace(around: Surroundings): Workspace {
  return openWorkspace(stateFolderOf(around), around.workspaceContext);
}

export function stateFolderOf({ options, env, cwd, files }: Surroundings): string {
  const explicit = options.workspace;
  const request = { env, cwd, ...(explicit === undefined ? {} : { explicit }) };
  return findStateFolder(request, files);
}

/** @throws {MamError} `config.invalid` */
export async function settingsOf(around: Surroundings, workspace: Workspace): Promise<Settings> {
  const path = workspacePaths.config(workspace.stateFolder);
  const said = await loadSettings(path);
  if (isVouchedFor(around, workspace)) return said;
  const { settings, ignored } = withoutPowers(said);
  if (ignored.length > 0) {
    around.logger.warn(
      `${path}: ${ignored.join(', ')} not used, since this workspace came from elsewhere. ` +
        `mam init ${workspace.root} makes it yours, its settings included.`,
    );
  }
  return settings;
}

/**
 * Where agents are found. Cards that came with somebody else's workspace name programs to be started: they
 * do not count.
 */
export function adapterPlaces(
  around: Surroundings,
  workspace: Workspace | undefined,
): AdapterPlaces {
  const { files, distFolder } = around;
  const own = workspace && isVouchedFor(around, workspace) ? [workspace.stateFolder] : [];
  return {
    files,
    demoAgent: `${distFolder}/demo-agent.js`,
    cardFolders: [`${distFolder}/assets/agents`, ...own.map((folder) => `${folder}/agents`)],
  };
}

/** Made by this user in this place; what came with a repository may not name programs or sockets. */
function isVouchedFor({ workspaceContext, files }: Surroundings, workspace: Workspace): boolean {
  const { userFolder } = workspaceContext;
  return workspace.isOurs || workspace.stateFolder === (files.realPath(userFolder) ?? userFolder);
}

/**
 * @param recordedSocket - Where this workspace's server was started; beats the environment.
 * @param inPlace - Wait for tmux without an event loop: for a short reader.
 */
export function multiplexerOf(
  around: Surroundings,
  workspace: Workspace,
  settings: Settings,
  recordedSocket: string | undefined,
  inPlace = false,
): Multiplexer {
  return new TmuxMultiplexer(tmuxClientOf(around, workspace, settings, recordedSocket, inPlace));
}

/** How this workspace's tmux server is reached. */
export function tmuxClientOf(
  around: Surroundings,
  workspace: Workspace,
  settings: Settings,
  recordedSocket: string | undefined,
  inPlace = false,
): TmuxClientOptions {
  const { env, uid } = around;
  const recorded = isVouchedFor(around, workspace) ? recordedSocket : undefined;
  return {
    program: settings.tmux.path,
    socket: chooseSocket(recorded, socketPath(workspace, env, uid)),
    configFile: `${workspacePaths.host(workspace)}/tmux.conf`,
    env: serverEnvironment(env, settings.tmux.path),
    timeoutMs: TMUX_TIMEOUT_MS,
    inPlace,
  };
}

/** A workspace that was moved while its server runs took the socket along: it works at its new place. */
function chooseSocket(recorded: string | undefined, usual: string): string {
  const isMoved = recorded !== undefined && !existsSync(recorded) && existsSync(usual);
  return isMoved ? usual : (recorded ?? usual);
}

/**
 * The tmux server keeps the environment of its first start for ever: it is made from a list, without
 * secrets, ids or markers of agents.
 */
function serverEnvironment(
  env: Readonly<Record<string, string>>,
  tmuxPath: string,
): Record<string, string> {
  const folder = tmuxPath.startsWith('/') ? [dirname(tmuxPath)] : [];
  const path = [...folder, env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(':');
  const kept = ['HOME', 'USER', 'LOGNAME', 'XDG_RUNTIME_DIR'].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: path,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
  };
}

/** The same, once it is known what the workspace wants of it. */
export function loggerFor({ options, logger }: Surroundings, { log }: Settings): Logger {
  return options.logger === undefined && log.level === 'debug' ? stderrLogger(true) : logger;
}

export function stderrLogger(debug: boolean): Logger {
  const line = (text: string) => process.stderr.write(`${text}\n`);
  return {
    debug: (message, details) => {
      if (debug) line(`mam: debug: ${message}${details ? ` ${JSON.stringify(details)}` : ''}`);
    },
    warn: (message) => line(`mam: warning: ${message}`),
  };
}

/** The folder of the bundle, or `dist` when the source runs unbundled (tests). */
function bundleFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== '/'; folder = dirname(folder)) {
    if (existsSync(join(folder, 'assets', 'launcher.sh')) && existsSync(join(folder, 'mam.js'))) {
      return folder;
    }
    const built = join(folder, 'dist');
    if (existsSync(join(built, 'mam.js'))) return built;
  }
  return here;
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
