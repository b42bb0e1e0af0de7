import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleSession } from '../../../test/support/example-session.ts';
import { onlyAgent } from '../../../test/support/fleet-context.ts';
import { demo } from '../../agents/demo/index.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { PaneRecord, Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import { nodeFiles } from '../../drivers/node/files.ts';
import type { ProcessInfo, ProcessTable } from '../../ports/process-table.ts';
import { sessionProcesses } from './session-processes.ts';

const uid = 1000;

function info(pid: number, ppid: number, more: Partial<ProcessInfo> = {}): ProcessInfo {
  const rest = { sessionLeader: pid, processGroup: pid, tty: 0, foregroundGroup: 0, uid };
  return { pid, ppid, state: 'S', startTicks: `${pid}00`, ...rest, ...more };
}

interface Machine {
  readonly all: readonly ProcessInfo[];
  /** Contents of files of the launch folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<number, string>>;
  readonly marked?: readonly number[];
  /** Lines of the registered tmux servers. */
  readonly servers?: readonly string[];
}

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-members-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Processes that exist only here: process 1 is never at stake. */
function processTableOf({ all, commands = {}, marked = [] }: Machine): ProcessTable {
  const isSame = ({ pid, startTicks }: ProcessIdentity) =>
    all.some((each) => each.pid === pid && each.startTicks === startTicks);
  return {
    self: { pid: 900, startTicks: '90000', host: 'h1', boot: 'b1', pidNamespace: 'n1' },
    find: (pid) => all.find((each) => each.pid === pid),
    list: () => all,
    isAlive: isSame,
    commandLine: (pid) => commands[pid] ?? '',
    openFiles: () => [],
    startedAt: () => new Date(0),
    environmentValues: () => new Map(),
    withEnvironment: () => marked,
    signal: isSame,
  };
}

/** Nothing but the processes is made up. */
function contextOf(machine: Machine): Parameters<typeof sessionProcesses>[0] {
  const workspace = { stateFolder: `${root}/w`, root, id: 'w1', host: 'h1', isOurs: true };
  const userFolder = `${root}/user`;
  for (const [name, text] of Object.entries(machine.files ?? {})) {
    write(`${workspacePaths.launch(workspace, '01LAUNCH')}/${name}`, text);
  }
  for (const [i, line] of (machine.servers ?? []).entries()) {
    write(`${userFolder}/run/servers/${i}`, line);
  }
  const adapter = { ...demo, card: { ...demo.card, sharedDaemons: ['--shared-hub'] } };
  return {
    userFolder,
    workspace,
    adapters: onlyAgent(adapter),
    files: nodeFiles('/nowhere'),
    processes: processTableOf(machine),
  };
}

const session = exampleSession('a', {
  launch: '01LAUNCH',
  agentProcess: null,
  pane: null,
  host: 'h1',
  boot: 'b1',
  pidNamespace: 'n1',
});

/** What was recorded of a pane and of the agent's children. */
function paneOf(pid: number, children: readonly ProcessIdentity[]): PaneRecord {
  return {
    ...{ index: 0, pid, pidStartTicks: `${pid}00`, pidStartedAt: '', cmdFull: '' },
    children: children.map((child) => ({ ...child, startedAt: '', cmd: '' })),
  };
}

function pids(machine: Machine, of: Session = session) {
  const { members, left, proof } = sessionProcesses(contextOf(machine), of, []);
  return { members: members.map(({ pid }) => pid).sort(), left: left.map(({ pid }) => pid), proof };
}

describe('sessionProcesses', () => {
  it('takes all below a living recorder that adopts', () => {
    const all = [info(1, 0), info(10, 1), info(11, 10), info(12, 11)];
    const files = { inner: '10 1000\n', agent: '11 1100\n', subreaper: '' };
    expect(pids({ all, files })).toEqual({ members: [11, 12], left: [], proof: 'subreaper' });
  });

  it('never takes process 1 or what is below it, not even by its true start time', () => {
    const all = [info(1, 0), info(50, 1), info(51, 50)];
    const one = { pid: 1, startTicks: '100' };
    const recorded = { agentProcess: one, pane: paneOf(1, [one]) };
    const files = { inner: '1 100\n', agent: '1 100\n', left: '1 100\n' };
    const found = pids({ all, files, marked: [1] }, { ...session, ...recorded });
    expect(found).toEqual({ members: [], left: [], proof: 'trace' });
  });

  it('takes by marker, terminal, session and earlier records when nobody adopts', () => {
    const all = [
      ...[info(1, 0), info(20, 1, { tty: 34 }), info(21, 1, { sessionLeader: 20 })],
      ...[info(22, 1, { tty: 34 }), info(23, 1), info(24, 1), info(25, 1), info(26, 1)],
    ];
    const pane = paneOf(20, [{ pid: 24, startTicks: '2400' }]);
    const files = { left: '25 2500\n26 1\nx\n' };
    const found = pids({ all, files, marked: [23] }, { ...session, pane });
    expect(found).toEqual({ members: [21, 22, 23, 24, 25], left: [], proof: 'trace' });
  });

  it('leaves out what the recorder itself sleeps with, not what the agent left', () => {
    const all = [10, 11, 12, 13, 15].map((pid) => info(pid, pid === 10 ? 1 : 10));
    all.push(info(14, 12));
    const recorder = 'sh /w/.mam/run/01LAUNCH/launcher.sh /w/.mam/run/01LAUNCH inner';
    const naps = { 11: 'sleep 0.05', 15: recorder };
    const commands = { 10: recorder, ...naps, 12: 'sleep 1', 13: 'sleep 100', 14: 'sleep 1' };
    const files = { inner: '10 1000\n', subreaper: '' };
    expect(pids({ all, files, commands, marked: [12] }).members).toEqual([12, 13, 14]);
  });

  it('takes nobody by a record of another boot or machine', () => {
    const all = [info(10, 1), info(11, 10)];
    const machine = { all, files: { inner: '10 1000\n', subreaper: '' }, marked: [11] };
    const nobody = { members: [], left: [], proof: 'trace' };
    expect(pids(machine, { ...session, boot: 'b0' })).toEqual(nobody);
    expect(pids(machine, { ...session, pidNamespace: 'n2' })).toEqual(nobody);
    expect(pids(machine, { ...session, host: 'h2' })).toEqual(nobody);
    expect(pids(machine).members).toEqual([11]);
  });

  it('takes a process of another user: it is left behind as well', () => {
    const all = [info(10, 1), info(11, 10, { uid: 0 })];
    expect(pids({ all, files: { inner: '10 1000\n', subreaper: '' } }).members).toEqual([11]);
  });

  it('stops at registered servers, other recorders and shared daemons, and not at ourselves aloud', () => {
    const all = [
      ...[info(10, 1), info(11, 10), info(30, 11), info(31, 30), info(40, 11), info(41, 40)],
      ...[info(45, 11), info(46, 45), info(900, 11), info(901, 900)],
    ];
    const commands = {
      40: 'sh /o/.mam/run/01OTHER/launcher.sh /o/.mam/run/01OTHER inner',
      45: 'node hub.js --shared-hub',
    };
    const files = { inner: '10 1000\n', subreaper: '' };
    const servers = ['30 3000 b1\n', '31 3100 other-boot\n', 'nonsense'];
    const found = pids({ all, files, commands, servers });
    expect(found.members).toEqual([11]);
    expect(found.left.sort()).toEqual([30, 40, 45]);
  });
});
