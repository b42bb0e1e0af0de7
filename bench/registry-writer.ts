// One process of the registry bench.  argv: DATABASE normal|full make | write COUNT PER_SECOND | read
import { setTimeout as delay } from 'node:timers/promises';
import { isMamError } from '../src/domain/errors.ts';
import type { Session } from '../src/domain/session.ts';
import { SqliteRegistry } from '../src/drivers/sqlite/registry.ts';
import { exampleSession } from '../test/support/example-session.ts';

const ROWS = 100;
const [path = '', durability, mode, count = '0', perSecond = '1'] = process.argv.slice(2);
const registry = SqliteRegistry.open({
  path,
  durability: durability === 'full' ? 'full' : 'normal',
});

/** Reads the counter's row, then writes it one higher: what is lost shows in the sum. */
function increment(): void {
  registry.update((tx) => {
    const session = tx.findSession('r0') as Session;
    tx.putSession({ ...session, lastScreen: String(Number(session.lastScreen) + 1) });
  });
}

async function write(): Promise<{ ms: number[]; busy: number }> {
  const ms: number[] = [];
  let busy = 0;
  const pauseMs = 1_000 / Number(perSecond);
  for (let i = 0; i < Number(count); i++) {
    await delay(Math.random() * 2 * pauseMs);
    const from = performance.now();
    try {
      increment();
    } catch (error) {
      if (!isMamError(error, 'registry.busy')) throw error;
      busy++;
    }
    ms.push(performance.now() - from);
  }
  return { ms, busy };
}

if (mode === 'make') {
  registry.update((tx) => {
    for (let i = 0; i < ROWS; i++) tx.putSession(exampleSession(`r${i}`, { lastScreen: '0' }));
  });
  console.log('{}');
} else if (mode === 'write') {
  console.log(JSON.stringify(await write()));
} else {
  const session = registry.read((reader) => reader.findSession('r0'));
  console.log(JSON.stringify({ count: Number(session?.lastScreen) }));
}
registry.close();
