import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import type { Session } from '../../src/domain/session.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { FleetContext } from '../../src/services/fleet/context.ts';
import { start } from '../../src/services/fleet/launching.ts';
import { exampleSession } from '../support/example-session.ts';

let folder = '';
let registry: SqliteRegistry;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mam-fence-'));
  registry = SqliteRegistry.open({ path: join(folder, 'agent-sessions.db') });
});

afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Far enough to reserve a launch: whatever would come after it fails the test. */
function contextOf(): FleetContext {
  const tooFar = () => {
    throw new Error('a launch was reserved');
  };
  return {
    registry,
    readRegistry: (fn: Parameters<SqliteRegistry['read']>[0]) => registry.read(fn),
    clock: systemClock,
    processes: openProcessTable(),
    workspace: { stateFolder: folder, root: folder, id: 'w', host: 'h', isOurs: true },
    files: { stat: () => undefined, makeFolder: tooFar, remove: () => undefined },
    multiplexer: {
      socket: join(folder, 'sock'),
      look: async () => ({ server: 'none', reason: '' }),
    },
  } as unknown as FleetContext;
}

function resume(seen: Session) {
  return start(contextOf(), {
    kind: 'resume',
    formerLaunch: seen.launch,
    session: { ...seen, status: 'running', launch: '01NEXT' },
    adapter: demo,
    plan: { argv: ['demo'], files: [], env: {} },
    env: {},
  });
}

const stopped = exampleSession('api', { status: 'stopped' });

it.each([
  ['runs on another launch', { status: 'running', launch: '01OTHER' }],
  ['ran on another launch, and was stopped again', { status: 'stopped', launch: '01OTHER' }],
  ['runs', { status: 'running' }],
] as const)('refuses a resume of a session that %s by now', async (_, change) => {
  registry.update((tx) => tx.putSession(exampleSession('api', { ...stopped, ...change })));
  await expect(resume(stopped)).rejects.toMatchObject({ code: 'launch.superseded' });
  expect(registry.read((reader) => reader.openLaunches())).toEqual([]);
  expect(registry.read((reader) => reader.findOperation(stopped.id))).toBeUndefined();
});

it('refuses a resume of a session that is no more', async () => {
  await expect(resume(stopped)).rejects.toMatchObject({ code: 'launch.superseded' });
});

it('reserves a launch for a session that is as it was seen, and takes it back when that fails', async () => {
  registry.update((tx) => tx.putSession(stopped));
  await expect(resume(stopped)).rejects.toThrow('a launch was reserved');
  expect(registry.read((reader) => reader.openLaunches())).toEqual([]);
  expect(registry.read((reader) => reader.findOperation(stopped.id))).toBeUndefined();
});
