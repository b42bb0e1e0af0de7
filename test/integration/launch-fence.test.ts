import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import type { Session } from '../../src/domain/session.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { type Connection, connect } from '../../src/drivers/sqlite/connect.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { ProcessTable } from '../../src/ports/process-table.ts';
import type { FleetContext } from '../../src/services/fleet/context.ts';
import { start } from '../../src/services/fleet/launching.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn } from '../support/fleet-context.ts';

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
  const { files } = fleetContextIn(folder, registry);
  return fleetContextIn(folder, registry, { files: { ...files, makeFolder: tooFar } });
}

function resume(seen: Session, context = contextOf()) {
  return start(context, {
    kind: 'resume',
    former: seen,
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

it('looks at processes before it takes the write lock', async () => {
  registry.update((tx) => tx.putSession(stopped));
  const other = connect(join(folder, 'agent-sessions.db'), { timeout: 0 });
  const looked: boolean[] = [];
  const processes = openProcessTable();
  const find: ProcessTable['find'] = (pid) => {
    looked.push(isFree(other));
    return processes.find(pid);
  };
  const place = { sessionId: '$1', sessionName: 'demo-creator-api', paneId: '%1' };
  const context = fleetContextIn(folder, registry, { processes: { ...processes, find } });
  Object.assign(context.multiplexer, {
    newSession: async () => ({ ...place, panePid: process.pid, serverPid: process.ppid }),
  });
  const { session, operation } = await resume(stopped, context);
  operation.end();
  other.close();
  expect(looked).toEqual([true, true]);
  expect(session).toMatchObject({ status: 'running', tmux: { paneId: '%1' } });
  const { launch, server } = registry.read((reader) => ({
    launch: reader.findLaunch(session.launch),
    server: reader.tmuxServer(),
  }));
  expect(launch).toMatchObject({ state: 'spawned', panePid: { pid: process.pid } });
  expect(server?.process.pid).toBe(process.ppid);
});

/** Whether another connection can have the write lock at once. */
function isFree(db: Connection): boolean {
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
