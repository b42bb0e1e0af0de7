import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { HostGate } from '../../ports/gate.ts';
import { type Connection, connect, isBusy } from './connect.ts';

const POLL_MS = 5;
/** Whoever is alone longer than this was frozen there. */
const ENTER_MS = 2_000;
const OPEN: Disposable = { [Symbol.dispose]: () => undefined };

/**
 * SQLite's shared and exclusive locks on a file of its own, which holds nothing. One that cannot be made
 * is open to all who enter, and nobody is alone there: no command fails because of it.
 *
 * @see https://www.sqlite.org/lockingv3.html
 */
export function sqliteGate(path: string, clock: Clock): HostGate {
  return {
    async enter() {
      const deadline = clock.monotonicMs() + ENTER_MS;
      for (;;) {
        // Reading takes the shared lock, an empty file's too.
        const held = hold(path, 'BEGIN; SELECT 1 FROM sqlite_master');
        if (held !== 'busy') return held ?? OPEN;
        if (clock.monotonicMs() >= deadline) return OPEN;
        await clock.sleep(POLL_MS);
      }
    },
    tryAlone() {
      const held = hold(path, 'BEGIN EXCLUSIVE');
      return held === 'busy' ? undefined : held;
    },
  };
}

/** @returns `undefined` where the file cannot be had. */
function hold(path: string, begin: string): Disposable | 'busy' | undefined {
  let db: Connection | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    db = connect(path, { timeout: 0 });
    db.exec(begin);
    const held = db;
    return { [Symbol.dispose]: () => void held.close() };
  } catch (error) {
    db?.close();
    return isBusy(error) ? 'busy' : undefined;
  }
}
