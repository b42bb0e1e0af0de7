import { crashPoint } from '../../base/crash-point.ts';
import type { MonitorTerm } from '../../domain/monitor-term.ts';
import type { Registry, RegistryReader, RegistryTransaction } from '../../ports/registry.ts';
import { type Connection, pragma } from './connect.ts';
import { explain, journalMode, type OpenOptions, openForWriting } from './open.ts';
import { SqliteTransaction } from './transaction.ts';

/** The registry of one workspace, for commands that change it. */
export class SqliteRegistry implements Registry {
  readonly mode: 'wal' | 'delete';
  readonly #db: Connection;
  readonly #path: string;
  readonly #transaction: SqliteTransaction;

  static open(options: OpenOptions): SqliteRegistry {
    return new SqliteRegistry(openForWriting(options), options.path);
  }

  private constructor(db: Connection, path: string) {
    this.#db = db;
    this.#path = path;
    this.#transaction = new SqliteTransaction(db);
    this.mode = journalMode(db);
  }

  read<T>(fn: (reader: RegistryReader) => T): T {
    try {
      // One snapshot for all that `fn` reads.
      return this.#db.transaction(() => fn(this.#transaction)).deferred();
    } catch (error) {
      throw explain(error, this.#path, 'read');
    }
  }

  update<T>(fn: (transaction: RegistryTransaction) => T): T {
    try {
      // IMMEDIATE: a transaction that begins by reading cannot be upgraded once another has written,
      // and SQLite then does not wait (BL-31).
      const result = this.#db
        .transaction(() => {
          crashPoint('registry.C1');
          const value = fn(this.#transaction);
          crashPoint('registry.C2');
          this.#transaction.countRevision();
          crashPoint('registry.C3');
          return value;
        })
        .immediate();
      crashPoint('registry.C4');
      return result;
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  changeMonitorTerm(
    fn: (present: MonitorTerm | undefined) => MonitorTerm | undefined,
  ): MonitorTerm | undefined {
    try {
      return this.#db
        .transaction(() => {
          const present = this.#transaction.monitorTerm();
          const term = fn(present);
          if (term !== present) this.#transaction.setMonitorTerm(term);
          return term;
        })
        .immediate();
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  /** Free pages go with VACUUM, what the write-ahead log still holds with its checkpoint. */
  scrub(): void {
    try {
      this.#db.exec('VACUUM');
      const isBusy = pragma(this.#db, 'wal_checkpoint(TRUNCATE)') === 1;
      if (isBusy) throw Object.assign(new Error('the log is in use'), { code: 'SQLITE_BUSY' });
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  close(): void {
    this.#db.close();
  }
}
