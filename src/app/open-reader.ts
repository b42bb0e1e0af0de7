import { isMamError, MamError } from '../domain/errors.ts';
import { nameKey } from '../domain/names.ts';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import { explain, journalMode, openForReading } from '../drivers/sqlite/open.ts';
import { SqliteReader } from '../drivers/sqlite/reader.ts';
import type { RegistryReader } from '../ports/registry.ts';
import type { ReadContext } from '../services/fleet/context.ts';
import { assertRegistryNotLost } from '../services/workspace/registry-files.ts';
import { conversationKeys, openAdapters } from './adapters.ts';
import {
  adapterPlaces,
  locateWorkspace,
  lookAround,
  multiplexerOf,
  type OpenOptions,
  type Surroundings,
  settingsOf,
} from './surroundings.ts';

export interface OpenedReader extends Disposable {
  readonly context: ReadContext;
  readonly mode: 'wal' | 'delete';
  /** Why the answer is not from the database, or null. */
  readonly degraded: string | null;
}

/** What readers need; writes nothing, and loads nothing that only commands need. */
export async function openReader(options: OpenOptions): Promise<OpenedReader> {
  const around = lookAround(options);
  const workspace = locateWorkspace(around);
  const settings = await settingsOf(around, workspace);
  const adapters = openAdapters(adapterPlaces(around, workspace));
  const { reader, close, mode, degraded } = await openRegistry(around, workspace);
  const { files, clock, processes, logger, env, uid, workspaceContext } = around;
  const context: ReadContext = {
    workspace,
    settings,
    adapters,
    multiplexer: multiplexerOf(around, workspace, settings, reader.tmuxServer()?.socket, true),
    processes,
    files,
    clock,
    logger,
    readRegistry: (fn) => fn(reader),
    env,
    uid,
    userFolder: workspaceContext.userFolder,
  };
  return { context, mode, degraded, [Symbol.dispose]: close };
}

/** Where the running session's place in tmux must be known, the YAML is not enough. */
export function degraded(why: string): MamError {
  return new MamError('registry.damaged', why, {}, { hint: 'mam doctor' });
}

interface ReadableRegistry {
  readonly reader: RegistryReader;
  readonly mode: 'wal' | 'delete';
  readonly degraded: string | null;
  close(): void;
}

/** The database; when it is damaged, the newest face, and it is said what may be missing. */
async function openRegistry(
  { files }: Surroundings,
  workspace: Workspace,
): Promise<ReadableRegistry> {
  try {
    assertRegistryNotLost(workspace.stateFolder, files);
    const db = openForReading(workspacePaths.database(workspace.stateFolder));
    if (!db) return { reader: emptyRegistry, mode: 'wal', degraded: null, close: () => undefined };
    const reader = new SqliteReader(db);
    // A damaged file may open and fail at the first page that is read.
    reader.assertReadable();
    return { reader, mode: journalMode(db), degraded: null, close: () => db.close() };
  } catch (error) {
    const known = explain(error, workspacePaths.database(workspace.stateFolder), 'read');
    // A WAL database in a folder that cannot be written cannot be opened, not even for reading.
    const readable = ['registry.damaged', 'registry.unreadable'] as const;
    if (!isMamError(known) || !readable.some((code) => code === known.code)) throw known;
    const { readNewestFace } = await import('./face-fallback.ts');
    const { sessions, said } = readNewestFace(files, workspace, conversationKeys(), known);
    const reader = { ...emptyRegistry, sessions: () => sessions };
    return { reader: withLookUps(reader), mode: 'wal', degraded: said, close: () => undefined };
  }
}

function withLookUps(reader: RegistryReader): RegistryReader {
  return {
    ...reader,
    findSession: (name) =>
      reader.sessions().find((session) => nameKey(session.name) === nameKey(name)),
    findSessionById: (id) => reader.sessions().find((session) => session.id === id),
  };
}

/** A workspace whose registry nothing was written to yet. */
const emptyRegistry: RegistryReader = {
  revision: () => 0,
  sessions: () => [],
  findSession: () => undefined,
  findSessionById: () => undefined,
  findConversationOwner: () => undefined,
  findLaunch: () => undefined,
  launches: () => [],
  unfinishedLaunches: () => [],
  openLaunches: () => [],
  findOperation: () => undefined,
  operations: () => [],
  findDelivery: () => undefined,
  deliveries: () => [],
  hookEvents: () => [],
  hookEventsOf: () => new Map(),
  tmuxServer: () => undefined,
  monitorTerm: () => undefined,
  identities: () => [],
};
