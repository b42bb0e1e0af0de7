// A process that writes a registry, for tests of many at once.  argv: DATABASE MODE ARG…
import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../../../src/domain/session.ts';
import { SqliteRegistry } from '../../../src/drivers/sqlite/registry.ts';
import { exampleSession } from '../example-session.ts';

const [path = '', mode = '', ...args] = process.argv.slice(2);
const registry = SqliteRegistry.open({ path });

const modes: Record<string, () => Promise<void>> = {
  /** add NAME: one session, acknowledged on standard output. */
  add: async () => {
    registry.update((tx) => tx.putSession(exampleSession(args[0] ?? '')));
    console.log(`added ${args[0]}`);
  },
  /** change NAME: waits until it is there, then stops it; or removes it when a second word says so. */
  change: async () => {
    const [name = '', how = 'stop'] = args;
    for (;;) {
      const done = registry.update((tx) => {
        const found = tx.findSession(name);
        if (!found) return false;
        if (how === 'remove') tx.deleteSession(found.id);
        else tx.putSession(stopped(found));
        return true;
      });
      if (done) break;
      await delay(1);
    }
    console.log(`changed ${name}`);
  },
  /** observe: rewrites what is observed of every session, again and again, as a monitor would. */
  observe: async () => {
    for (let round = 0; round < Number(args[0]); round++) {
      registry.update((tx) => {
        for (const session of tx.sessions())
          tx.putSession({ ...session, lastScreen: `look ${round}` });
      });
      await delay(1);
    }
    console.log('observed');
  },
  /** count N: N times read, then write one more; the number is kept in a session's last screen. */
  count: async () => {
    for (let i = 0; i < Number(args[0]); i++) {
      registry.update((tx) => {
        const session = tx.findSession('counter') as Session;
        tx.putSession({ ...session, lastScreen: String(Number(session.lastScreen) + 1) });
      });
    }
    console.log('counted');
  },
  /** forever: counts without end and says each number once it is committed. */
  forever: async () => {
    for (;;) {
      const value = registry.update((tx) => {
        const session = tx.findSession('counter') as Session;
        const next = String(Number(session.lastScreen) + 1);
        tx.putSession({ ...session, lastScreen: next });
        return next;
      });
      process.stdout.write(`${value}\n`);
      await delay(0);
    }
  },
  /** hold: takes the write lock, says so, and keeps it until its standard input ends. */
  hold: async () => {
    registry.update(() => {
      process.stdout.write('held\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(args[0]));
    });
    console.log('released');
  },
};

function stopped(session: Session): Session {
  return { ...session, status: 'stopped', stoppedAt: new Date().toISOString() };
}

await modes[mode]?.();
registry.close();
