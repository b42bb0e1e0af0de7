import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostLock } from '../../ports/lock.ts';
import { type Connection, connect, isBusy } from './connect.ts';

/** A write lock on a small database file of its own: the kernel frees it with its holder. */
export function sqliteLock(path: string): HostLock {
  const opened = new LockFile(path);
  const take = (timeoutMs: number) => {
    const db = opened.connection();
    return begin(db, timeoutMs) ? db : undefined;
  };
  return {
    tryHold(timeoutMs, fn) {
      const db = take(timeoutMs);
      if (!db) return undefined;
      try {
        return fn();
      } finally {
        db.exec('ROLLBACK');
      }
    },
    hold() {
      const db = take(0);
      return db && { [Symbol.dispose]: () => void db.exec('ROLLBACK') };
    },
  };
}

/** One connection, made anew when the file is another one than it was: its lock would be nobody's. */
class LockFile {
  readonly #path: string;
  #db: Connection | undefined;
  #inode: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  connection(): Connection {
    const inode = this.#readInode();
    if (this.#db && inode !== undefined && inode === this.#inode) return this.#db;
    this.#db?.close();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    // Made here, not by the first transaction: its inode tells whether it is still the same file.
    if (this.#readInode() === undefined) closeSync(openSync(this.#path, 'a', 0o600));
    this.#db = connect(this.#path);
    this.#inode = this.#readInode();
    return this.#db;
  }

  #readInode(): number | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino;
  }
}

function begin(db: Connection, timeoutMs: number): boolean {
  try {
    db.exec(`PRAGMA busy_timeout = ${timeoutMs}; BEGIN IMMEDIATE`);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
