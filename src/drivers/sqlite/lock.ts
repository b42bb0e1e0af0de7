import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostLock } from '../../ports/lock.ts';
import { type Connection, connect } from './connect.ts';

/** A write lock on a small database file of its own: the kernel frees it with its holder. */
export function sqliteLock(path: string): HostLock {
  return {
    tryHold(timeoutMs, fn) {
      const db = take(path, timeoutMs);
      if (!db) return undefined;
      try {
        return fn();
      } finally {
        db.close();
      }
    },
    hold() {
      const db = take(path, 0);
      return db && { [Symbol.dispose]: () => db.close() };
    },
  };
}

function take(path: string, timeoutMs: number): Connection | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = connect(path, { timeout: timeoutMs });
  try {
    db.exec('BEGIN IMMEDIATE');
    return db;
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
