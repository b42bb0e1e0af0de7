/** One `.mam` folder and what is known of it. All paths are absolute. */
export interface Workspace {
  /** The `.mam` folder itself. */
  readonly stateFolder: string;
  /** The folder it lies in: agents inside it are inside the workspace. */
  readonly root: string;
  /** Random, made by `mam init`, kept. */
  readonly id: string;
  /** First 8 hex digits of this machine's id. */
  readonly host: string;
  /** Made with `mam init` by this user, in this place. */
  readonly isOurs: boolean;
}

export const workspacePaths = {
  config: (stateFolder: string) => `${stateFolder}/config.yaml`,
  identity: (stateFolder: string) => `${stateFolder}/workspace.json`,
  database: (stateFolder: string) => `${stateFolder}/agent-sessions.db`,
  face: (stateFolder: string) => `${stateFolder}/agent-sessions.yaml`,
  faceStamp: ({ stateFolder, host }: Workspace) => `${stateFolder}/run/${host}/face-stamp`,
  launch: ({ stateFolder }: Workspace, launch: string) => `${stateFolder}/run/${launch}`,
  spool: ({ stateFolder }: Workspace, launch: string) => `${stateFolder}/run/${launch}/spool`,
  host: ({ stateFolder, host }: Workspace) => `${stateFolder}/run/${host}`,
  monitor: ({ stateFolder, host }: Workspace) => `${stateFolder}/run/${host}/monitor.json`,
  monitorLock: ({ stateFolder, host }: Workspace) => `${stateFolder}/run/${host}/monitor-lock.db`,
  monitorLog: ({ stateFolder }: Workspace) => `${stateFolder}/logs/monitor.log`,
} as const;

/** Longest socket path that every system takes, bytes (108 on Linux, 104 elsewhere). @see unix(7) */
const MAX_SOCKET_BYTES = 100;

/** Where this workspace's tmux server listens on this host. */
export function socketPath(
  workspace: Workspace,
  env: Readonly<Record<string, string | undefined>>,
  uid: number,
): string {
  const usual = `${workspacePaths.host(workspace)}/tmux.sock`;
  if (Buffer.byteLength(usual) <= MAX_SOCKET_BYTES) return usual;
  const runtime = env.XDG_RUNTIME_DIR;
  const short = `${runtime}/mam/${workspace.id}.sock`;
  if (runtime?.startsWith('/') && Buffer.byteLength(short) <= MAX_SOCKET_BYTES) return short;
  return `/tmp/mam-${uid}/${workspace.id}.sock`;
}

/** @param folder - Absolute. */
export function parentOf(folder: string): string {
  return folder.slice(0, Math.max(1, folder.lastIndexOf('/')));
}
