import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleSession } from '../../../test/support/example-session.ts';
import { fleetContextIn } from '../../../test/support/fleet-context.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import { SqliteRegistry } from '../../drivers/sqlite/registry.ts';
import type { ProcessInfo, ProcessTable } from '../../ports/process-table.ts';
import { LaunchProcesses } from './launch-processes.ts';

const session = exampleSession('a', {
  launch: '01LAUNCH',
  agentProcess: null,
  pane: null,
  host: 'h1',
  boot: 'b1',
  pidNamespace: 'n1',
});
const RECORDER = 10;
const LEFT = 12;

/** Command lines by pid, as one look finds them. */
type Look = Readonly<Record<number, string>>;

let root = '';
let registry: SqliteRegistry;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-lp-'));
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
});

afterEach(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

/** The children of a recorder that adopts, which are others after each pause; the last stay. */
function survivorsOf(looks: readonly Look[]): Promise<readonly number[]> {
  let at = 0;
  const now = () => ({ [RECORDER]: 'sh launcher.sh', ...(looks[at] ?? {}) }) as Look;
  const info = (pid: number): ProcessInfo => ({
    ...{ pid, ppid: pid === RECORDER ? 1 : RECORDER, state: 'S', startTicks: `${pid}00` },
    ...{ sessionLeader: pid, processGroup: pid, tty: 0, foregroundGroup: 0, uid: 1000 },
  });
  const list = () => Object.keys(now()).map((pid) => info(Number(pid)));
  const processes: ProcessTable = {
    self: { pid: 900, startTicks: '90000', host: 'h1', boot: 'b1', pidNamespace: 'n1' },
    find: (pid) => list().find((each) => each.pid === pid),
    list,
    isAlive: ({ pid }) => pid in now(),
    commandLine: (pid) => now()[pid] ?? '',
    openFiles: () => [],
    startedAt: () => new Date(0),
    environmentValues: () => new Map(),
    withEnvironment: () => [LEFT],
    signal: () => false,
  };
  const context = fleetContextIn(root, registry, {
    processes,
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      sleep: async () => {
        at = Math.min(at + 1, looks.length - 1);
      },
    },
  });
  const folder = workspacePaths.launch(context.workspace, session.launch);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'inner'), `${RECORDER} ${RECORDER}00\n`);
  writeFileSync(join(folder, 'subreaper'), '');
  const found = new LaunchProcesses(context, session).survivors();
  return found.then(({ members }) => members.map(({ pid }) => pid));
}

describe('survivors', () => {
  it('are none where the first look finds none', async () => {
    expect(await survivorsOf([{}])).toEqual([]);
  });

  it('are not what the recorder sleeps with, whose command line comes late or is already gone', async () => {
    const looks = [
      { [LEFT]: 'sleep 100', 11: '' },
      { [LEFT]: 'sleep 100', 13: '' },
      { [LEFT]: 'sleep 100', 13: '' },
      { [LEFT]: 'sleep 100', 14: 'sleep 0.05' },
      { [LEFT]: 'sleep 100', 15: 'sleep 0.05' },
    ];
    expect(await survivorsOf(looks)).toEqual([LEFT]);
  });

  it('are also those that hide their command line', async () => {
    expect(await survivorsOf([{ [LEFT]: '', 16: '' }])).toEqual([LEFT, 16]);
  });
});
