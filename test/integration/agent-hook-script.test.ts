import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';

const assets = join(import.meta.dirname, '../../src/assets');
const LAUNCH = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const { pid, startTicks } = openProcessTable().self;

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mam-h'k "));
  makeLaunch(join(root, '.mam'), `${pid} ${startTicks}`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** @param agent - What its launcher wrote down of the agent. */
function makeLaunch(stateFolder: string, agent: string): void {
  const folder = join(stateFolder, 'run', LAUNCH);
  mkdirSync(join(folder, 'spool'), { recursive: true });
  copyFileSync(join(assets, 'hook.sh'), join(folder, 'hook'));
  writeFileSync(join(folder, 'agent'), `${agent}\n`);
}

function run(env: Record<string, string>, args: readonly string[] = ['BeforeAgent'], shell = 'sh') {
  const argv = [join(assets, 'agent-hook.sh'), ...args];
  const { status, stdout, stderr } = spawnSync(shell, argv, {
    env: { PATH: process.env.PATH ?? '', ...env },
    input: '{"session_id":"c"}',
    encoding: 'utf8',
  });
  return [status, stdout, stderr];
}

const told = {
  MAM_LAUNCH: LAUNCH,
  get MAM_WORKSPACE() {
    return root;
  },
};

function events(stateFolder = join(root, '.mam')): readonly string[] {
  const spool = join(stateFolder, 'run', LAUNCH, 'spool');
  return readdirSync(spool).map((name) => {
    return `${name.split('.').at(-1)} ${readFileSync(join(spool, name), 'utf8')}`;
  });
}

describe('the hook that a user’s settings name', () => {
  it.each(['dash', 'bash', 'zsh', 'busybox'])(
    'hands the event of its agent’s launch on in %s',
    (shell) => {
      const argv = shell === 'busybox' ? ['sh'] : [];
      const done = spawnSync(shell, [...argv, join(assets, 'agent-hook.sh'), 'BeforeAgent'], {
        env: { PATH: process.env.PATH ?? '', ...told },
        input: '{"session_id":"c"}',
        encoding: 'utf8',
      });
      expect([done.status, done.stdout, done.stderr]).toEqual([0, '', '']);
      expect(events()).toEqual(['BeforeAgent {"session_id":"c"}']);
    },
  );

  it('is found by an agent’s descendants, through other programs', () => {
    const line = `sh '${join(assets, 'agent-hook.sh')}' SessionStart </dev/null; exit 0`;
    execFileSync('bash', ['-c', `sh -c "$1"; :`, '-', line], { env: { ...process.env, ...told } });
    expect(events()).toHaveLength(1);
  });

  it('finds a state folder of another name', () => {
    makeLaunch(join(root, 'my state'), `${pid} ${startTicks}`);
    rmSync(join(root, '.mam'), { recursive: true });
    expect(run(told)).toEqual([0, '', '']);
    expect(events(join(root, 'my state'))).toHaveLength(1);
  });

  it.each([
    ['without a word of a launch', {}],
    ['for a launch that is not there', { MAM_LAUNCH: '01ARZ3NDEKTSV4RRFFQ69G5FAX' }],
    ['for a name that is none', { MAM_LAUNCH: '../../x' }],
  ])('does nothing %s, and takes the payload', (_, env) => {
    expect(run({ ...(Object.keys(env).length > 0 ? told : {}), ...env })).toEqual([0, '', '']);
    expect(events()).toEqual([]);
  });

  it.each([
    ['another process', '1 1'],
    ['a pid that came again', `${pid} 1`],
    ['nothing', ''],
    ['words', 'x; touch y'],
  ])('believes no environment whose launch’s agent is %s', (_, agent) => {
    makeLaunch(join(root, '.mam'), agent);
    expect(run(told)).toEqual([0, '', '']);
    expect(events()).toEqual([]);
  });

  it('prints the answer that the host wants, ours or not', () => {
    const args = ['PreToolUse', '{"decision":"ask"}'];
    expect(run(told, args)).toEqual([0, '{"decision":"ask"}\n', '']);
    expect(run({}, args)).toEqual([0, '{"decision":"ask"}\n', '']);
    expect(events()).toEqual(['PreToolUse {"session_id":"c"}']);
  });
});
