import { openForReading } from '../drivers/sqlite/open.ts';
import { SqliteReader } from '../drivers/sqlite/reader.ts';
import type { RegistryReader } from '../ports/registry.ts';
import type { ReadContext } from '../services/fleet/context.ts';
import { workspacePaths } from '../services/workspace/workspace.ts';
import { builtInAdapters } from './adapters.ts';
import {
  locateWorkspace,
  lookAround,
  multiplexerOf,
  type OpenOptions,
  settingsOf,
} from './surroundings.ts';

export interface OpenedReader extends Disposable {
  readonly context: ReadContext;
  readonly mode: 'wal' | 'delete';
}

/** What readers need; writes nothing, and loads nothing that only commands need. */
export async function openReader(options: OpenOptions): Promise<OpenedReader> {
  const around = lookAround(options);
  const workspace = locateWorkspace(around);
  const settings = await settingsOf(workspace);
  const db = openForReading(workspacePaths.database(workspace.stateFolder));
  const reader: RegistryReader = db ? new SqliteReader(db) : emptyRegistry;
  const { files, clock, processes, logger, env, uid, workspaceContext } = around;
  const context: ReadContext = {
    workspace,
    settings,
    adapters: builtInAdapters(`${around.distFolder}/demo-agent.js`),
    multiplexer: multiplexerOf(around, workspace, settings, reader.tmuxServer()?.socket),
    processes,
    files,
    clock,
    logger,
    readRegistry: (fn) => fn(reader),
    env,
    uid,
    userFolder: workspaceContext.userFolder,
  };
  const mode = db?.pragma('journal_mode', { simple: true }) === 'delete' ? 'delete' : 'wal';
  return { context, mode, [Symbol.dispose]: () => db?.close() };
}

/** A workspace whose registry nothing was written to yet. */
const emptyRegistry: RegistryReader = {
  revision: () => 0,
  sessions: () => [],
  findSession: () => undefined,
  findSessionById: () => undefined,
  findConversationOwner: () => undefined,
  findLaunch: () => undefined,
  openLaunches: () => [],
  findOperation: () => undefined,
  findDelivery: () => undefined,
  deliveries: () => [],
  hookEvents: () => [],
  findDeliveryByEvidence: () => undefined,
  tmuxServer: () => undefined,
  identities: () => [],
};
