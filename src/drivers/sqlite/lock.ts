import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostLock } from '../../ports/lock.ts';
import { connect } from './connect.ts';

/** A write lock on a small database file of its own: the kernel frees it with its holder. */
export function sqliteLock(path: string): HostLock {
  return {
    tryHold(timeoutMs, fn) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const db = connect(path, { timeout: timeoutMs });
      try {
        db.exec('BEGIN IMMEDIATE');
        return fn();
      } catch (error) {
        if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
        throw error;
      } finally {
        db.close();
      }
    },
  };
}
