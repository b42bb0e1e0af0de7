import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeHint } from '../../base/write-hint.ts';
import { isMamError, MamError } from '../../domain/errors.ts';
import { type Connection, connect, pragma } from './connect.ts';
import { isWalSafe } from './file-system.ts';
import { migrations } from './schema.ts';

/** How long a command waits for the write lock; a reader waits less, milliseconds. */
export const WRITE_TIMEOUT_MS = 5_000;
const READ_TIMEOUT_MS = 500;

export interface OpenOptions {
  readonly path: string;
  /** For tests: what to take the file system for. */
  readonly walSafe?: boolean;
  readonly steps?: readonly string[];
  /** `full` (default): a commit survives a power cut. `normal`: it survives the process only. */
  readonly durability?: 'full' | 'normal';
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens the registry for reading. Undefined when there is none yet.
 *
 * SQLite makes its own `-wal` and `-shm` beside a closed WAL database; the database file stays as it is.
 */
export function openForReading(path: string): Connection | undefined {
  try {
    const db = connect(path, {
      readonly: true,
      fileMustExist: true,
      timeout: READ_TIMEOUT_MS,
    });
    if (schemaVersion(db) === 0) {
      db.close();
      return undefined;
    }
    assertKnown(db, path, migrations.length);
    return db;
  } catch (error) {
    if (!existsSync(path)) return undefined;
    throw explain(error, path, 'read');
  }
}

/** Opens the registry for commands, making or migrating it under its write lock. */
export function openForWriting(options: OpenOptions): Connection {
  const { path, steps = migrations } = options;
  try {
    const db = connect(path, { timeout: WRITE_TIMEOUT_MS });
    const isNew = schemaVersion(db) === 0;
    if (isNew) chooseJournal(db, options);
    // What a command acknowledges survives a power cut: 0.35 ms a commit.
    db.exec(`PRAGMA synchronous = ${options.durability ?? 'full'}; PRAGMA foreign_keys = ON`);
    db.exec('PRAGMA wal_autocheckpoint = 50');
    migrate(db, path, steps);
    if (isNew) chmodSync(path, 0o600);
    return db;
  } catch (error) {
    throw explain(error, path);
  }
}

export function journalMode(db: Connection): 'wal' | 'delete' {
  return pragma(db, 'journal_mode') === 'wal' ? 'wal' : 'delete';
}

/** A file that exists keeps its mode: another process may have it open. */
function chooseJournal(db: Connection, { path, walSafe, onWarning }: OpenOptions): void {
  if (!(walSafe ?? isWalSafe(dirname(path)))) {
    onWarning?.(
      `${path}: the file system is not known to be local, so a rollback journal is used.`,
    );
    return;
  }
  try {
    const mode = pragma(db, 'journal_mode = WAL');
    if (mode !== 'wal') onWarning?.(`${path}: SQLite refused WAL and uses mode "${String(mode)}".`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onWarning?.(`${path}: WAL is not possible here (${reason}), so a rollback journal is used.`);
  }
}

function schemaVersion(db: Connection): number {
  return Number(pragma(db, 'user_version'));
}

/** One locked transaction; the database as it was is kept beside it. */
function migrate(db: Connection, path: string, steps: readonly string[]): void {
  if (schemaVersion(db) === steps.length) return;
  assertKnown(db, path, steps.length);
  db.transaction(() => {
    const from = schemaVersion(db);
    if (from === steps.length) return;
    if (from > 0)
      writeFileSync(`${path}.v${from}.bak`, db.serialize(), { mode: 0o600, flush: true });
    for (const step of steps.slice(from)) db.exec(step);
    db.exec(`PRAGMA user_version = ${steps.length}`);
  }).immediate();
}

function assertKnown(db: Connection, path: string, known: number): void {
  const found = schemaVersion(db);
  if (found > known) {
    throw new MamError(
      'registry.damaged',
      `${path} was written by a newer mam (schema ${found}, this one knows ${known}); nothing was changed.`,
      { path },
      { hint: 'Update mam: npm install -g multi-agent-mux' },
    );
  }
}

/** Names the file and the reason; the SQLite code decides which of our codes it is. */
export function explain(
  error: unknown,
  path: string,
  attempt: 'read' | 'write' = 'write',
): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (isMamError(error) || typeof code !== 'string') return error;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new MamError(
      'registry.busy',
      `Another process holds the registry's write lock for more than ${WRITE_TIMEOUT_MS / 1000} s (${path}).`,
      { path },
      { cause: error, hint: 'Try again; nothing was changed.' },
    );
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new MamError(
      'registry.damaged',
      `The registry ${path} is damaged (${message}); nothing was changed.`,
      { path },
      {
        cause: error,
        hint: 'The last state is readable in agent-sessions.yaml beside it; keep both.',
      },
    );
  }
  const hint = attempt === 'write' ? writeHint(code, path) : undefined;
  if (/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)/.test(code)) {
    return new MamError(
      attempt === 'read' ? 'registry.unreadable' : 'registry.unwritable',
      `Could not ${attempt} the registry ${path}: ${message} (${code}); nothing was changed.`,
      { path, sqlite: code },
      { cause: error, ...(hint === undefined ? {} : { hint }) },
    );
  }
  if (
    /NODE_MODULE_VERSION|Could not locate the bindings|invalid ELF|ERR_DLOPEN/.test(message + code)
  ) {
    return new MamError(
      'native.missing',
      `The SQLite module does not load in this Node (${process.version}): ${message.split('\n')[0]}`,
      {},
      { cause: error, hint: 'Run: npm rebuild better-sqlite3 · mam doctor tells what is missing' },
    );
  }
  return error;
}
