import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import {
  assetPath,
  LauncherRig,
  makeFullDisk,
  makeHostileFolder,
  makeShellFolder,
  processesNaming,
  requiredShells,
} from './launcher-rig.ts';

const limitBytes = 4 * 1024 * 1024;

interface HookResult {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** An error of the sender's pipe, such as EPIPE. */
  readonly pipeError: string | undefined;
}

describe.each(requiredShells)('hook.sh with %s as sh', (shell) => {
  let root: string;
  let sh: string;

  beforeAll(() => {
    root = makeHostileFolder();
    sh = join(makeShellFolder(join(root, 'bin'), shell), 'sh');
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** A launch folder with the hook in it and, unless told otherwise, a spool. */
  function makeLaunch(name: string, withSpool = true): string {
    const launch = join(root, name);
    mkdirSync(withSpool ? join(launch, 'spool') : launch, { recursive: true });
    copyFileSync(assetPath('hook.sh'), join(launch, 'hook'));
    return launch;
  }

  function start(
    launch: string,
    args: readonly string[],
    options: { env?: Record<string, string>; cwd?: string; wrap?: readonly string[] } = {},
  ): ChildProcess {
    const [program = sh, ...words] = [...(options.wrap ?? []), sh, join(launch, 'hook'), ...args];
    return spawn(program, words, {
      env: options.env ?? { PATH: process.env.PATH ?? '' },
      cwd: options.cwd ?? '/',
      stdio: 'pipe',
    });
  }

  async function fire(
    launch: string,
    args: readonly string[],
    payload: string | Buffer,
    options?: Parameters<typeof start>[2],
  ): Promise<HookResult> {
    const child = start(launch, args, options);
    const ended = finish(child);
    child.stdin?.end(payload);
    return ended;
  }

  test('stores the payload under its time, pid and event, for the owner only', async () => {
    const launch = makeLaunch('plain');
    const before = Math.floor(Date.now() / 1000);
    const child = start(launch, ['UserPromptSubmit']);
    const ended = finish(child);
    child.stdin?.end('{"prompt":"日本語 \\n \\"x\\""}\n');
    expect(await ended).toEqual(fine);
    const [name, ...others] = list(launch);
    expect(others).toEqual([]);
    const [time, pid, event] = (name ?? '').split('.');
    expect(Number(time)).toBeGreaterThanOrEqual(before);
    expect(Number(time)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(Number(pid)).toBe(child.pid);
    expect(event).toBe('UserPromptSubmit');
    const path = join(launch, 'spool', name ?? '');
    expect(readFileSync(path, 'utf8')).toBe('{"prompt":"日本語 \\n \\"x\\""}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('loses none of 50 at once', async () => {
    const launch = makeLaunch('many');
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const results = await Promise.all(numbers.map((n) => fire(launch, ['Stop'], `{"n":${n}}`)));
    expect(results).toEqual(numbers.map(() => fine));
    const payloads = list(launch).map((name) => readFileSync(join(launch, 'spool', name), 'utf8'));
    expect(payloads.toSorted()).toEqual(numbers.map((n) => `{"n":${n}}`).toSorted());
  });

  test('keeps a payload of 1 MiB byte for byte', async () => {
    const launch = makeLaunch('large');
    const payload = Buffer.from(Array.from({ length: 1024 * 1024 }, (_, n) => (n * 7919) % 256));
    expect(await fire(launch, ['PostToolUse'], payload)).toEqual(fine);
    expect(onlyPayload(launch).equals(payload)).toBe(true);
  });

  test('cuts after 4 MiB without disturbing the sender', async () => {
    const launch = makeLaunch('huge');
    expect(await fire(launch, ['PostToolUse'], Buffer.alloc(limitBytes + 1_000_000, 'x'))).toEqual(
      fine,
    );
    expect(onlyPayload(launch).length).toBe(limitBytes);
  });

  test('shows nothing under a final name before the payload is whole', async () => {
    const launch = makeLaunch('slow');
    const child = start(launch, ['Stop']);
    const ended = finish(child);
    child.stdin?.write('first ');
    await until('the hidden file with the first half', () => {
      const [hidden] = readdirSync(join(launch, 'spool'));
      return hidden?.startsWith('.') && statSync(join(launch, 'spool', hidden)).size === 6;
    });
    expect(list(launch)).toEqual([]);
    child.stdin?.end('second');
    expect(await ended).toEqual(fine);
    expect(onlyPayload(launch).toString()).toBe('first second');
  });

  test.each(['SIGHUP', 'SIGINT', 'SIGQUIT'] as const)('is not lost to %s', async (name) => {
    const launch = makeLaunch(`signal-${name}`);
    const child = start(launch, ['SessionEnd']);
    const ended = finish(child);
    child.stdin?.write('before ');
    await until('the payload being read', () => {
      const [hidden] = readdirSync(join(launch, 'spool'));
      return hidden?.startsWith('.') && statSync(join(launch, 'spool', hidden)).size === 7;
    });
    for (const pid of processesNaming(join(launch, 'hook'))) process.kill(pid, name);
    child.stdin?.end('after');
    expect(await ended).toEqual(fine);
    expect(onlyPayload(launch).toString()).toBe('before after');
  });

  test.each([
    ['none', []],
    ['empty', ['']],
    ['a path', ['../../../escaped']],
    ['a slash', ['a/b']],
    ['hidden', ['.hidden']],
    ['a blank', ['a b']],
    ['a newline', ['a\nb']],
    ['code', ['$(touch pwned)']],
    ['code in backquotes', ['`touch pwned`']],
    ['a letter of another script', ['Ünïcode']],
    ['too long', ['x'.repeat(65)]],
  ])('a hostile event name (%s) becomes "unknown"', async (title, args) => {
    const launch = makeLaunch(`hostile ${title}`);
    expect(await fire(launch, args, 'x', { cwd: launch })).toEqual(fine);
    expect(list(launch).map((name) => name.replace(/^\d+\.\d+\./, ''))).toEqual(['unknown']);
    expect(readdirSync(launch).toSorted()).toEqual(['hook', 'spool']);
  });

  test.each(['Stop', '-n', 'pre_tool-use', 'x'.repeat(64)])(
    '%s is an event name',
    async (event) => {
      const launch = makeLaunch(`event ${event}`);
      expect(await fire(launch, [event], 'x')).toEqual(fine);
      expect(list(launch).map((name) => name.replace(/^\d+\.\d+\./, ''))).toEqual([event]);
    },
  );

  test('without a spool it does nothing, quietly, and reads what it is sent', async () => {
    const launch = makeLaunch('no-spool', false);
    expect(await fire(launch, ['Stop'], Buffer.alloc(1_000_000, 'x'))).toEqual(fine);
    expect(readdirSync(launch)).toEqual(['hook']);
  });

  test('knows its launch by its path, whatever the environment says', async () => {
    const launch = makeLaunch('own');
    const other = makeLaunch('other');
    const lies = makeShellFolder(join(root, 'lies'), shell);
    for (const name of ['date', 'cat', 'mv', 'rm', 'wc']) {
      writeFileSync(join(lies, name), '#!/bin/sh\necho lie\nexit 1\n', { mode: 0o755 });
    }
    const env = {
      ...{ PATH: `${lies}:${process.env.PATH}`, PWD: other, OLDPWD: other, HOME: other },
      ...{ MAM_LAUNCH: 'other', MAM_WORKSPACE: other, spool: join(other, 'spool'), event: 'Lie' },
      ...{ id: '1', now: '1', tries: '5', IFS: '/', CDPATH: other, LC_ALL: 'C.UTF-8' },
      ...{
        ENV: join(lies, 'cat'),
        BASH_ENV: join(lies, 'cat'),
        ZDOTDIR: lies,
      },
    };
    expect(await fire(launch, ['Stop'], 'mine', { env, cwd: other })).toEqual(fine);
    expect(onlyPayload(launch).toString()).toBe('mine');
    expect(list(other)).toEqual([]);
  });

  test('never overwrites the event of a pid that came twice', async () => {
    const launch = makeLaunch('twice');
    const spool = join(launch, 'spool');
    // In the place of the hook's pid: what an earlier owner of the pid stored, and, one name
    // further, what a process of another pid namespace is just writing.
    const take = [
      'now=$(date +%s); n=0',
      'while [ $n -lt 30 ]; do',
      '  echo old >"$0/$((now + n)).$$.Stop"; echo other >"$0/.$((now + n)).$$""0.Stop"; n=$((n + 1))',
      'done; exec "$@"',
    ].join('\n');
    const child = start(launch, ['Stop'], { wrap: [sh, '-c', take, spool] });
    const ended = finish(child);
    child.stdin?.end('new');
    expect(await ended).toEqual(fine);
    const names = list(launch);
    const old = names.filter((name) => name.endsWith(`.${child.pid}.Stop`));
    expect(old.length).toBe(30);
    for (const name of old) expect(readFileSync(join(spool, name), 'utf8')).toBe('old\n');
    const added = names.filter((name) => !old.includes(name));
    expect(added).toEqual([expect.stringMatching(new RegExp(`^\\d+\\.${child.pid}00\\.Stop$`))]);
    expect(readFileSync(join(spool, added[0] ?? ''), 'utf8')).toBe('new');
  });

  test('a full disk leaves no file, and the sender undisturbed', async () => {
    const disk = makeFullDisk(root);
    try {
      const launch = disk.folder;
      mkdirSync(join(launch, 'spool'));
      copyFileSync(assetPath('hook.sh'), join(launch, 'hook'));
      disk.fill();
      const result = await fire(launch, ['Stop'], Buffer.alloc(300_000, 'x'), { wrap: disk.wrap });
      expect(result).toEqual(fine);
      expect(readdirSync(join(launch, 'spool'))).toEqual([]);
    } finally {
      disk.release();
      rmSync(disk.folder, { recursive: true, force: true });
    }
  });

  test('an event without a payload is an event: stdin empty, closed, or a terminal', async () => {
    const launch = makeLaunch('no-payload');
    expect(await fire(launch, ['Empty'], '')).toEqual(fine);
    const closed = [sh, '-c', 'exec "$@" <&-', 'sh'];
    const { pipeError: _, ...result } = await fire(launch, ['Closed'], '', { wrap: closed });
    expect(result).toEqual({ status: 0, signal: null, output: '' });
    const rig = await LauncherRig.open({ inner: shell });
    try {
      await rig.tmux('new-session', '-d', sh, join(launch, 'hook'), 'Terminal');
      await until('the event from the pane', () => list(launch).length === 3);
    } finally {
      await rig[Symbol.asyncDispose]();
    }
    const found = list(launch).map((name) => [
      name.replace(/^\d+\.\d+\./, ''),
      statSync(join(launch, 'spool', name)).size,
    ]);
    expect(Object.fromEntries(found)).toEqual({ Empty: 0, Closed: 0, Terminal: 0 });
  });
});

const fine: HookResult = { status: 0, signal: null, output: '', pipeError: undefined };

/** Final names in the spool, sorted. */
function list(launch: string): string[] {
  return readdirSync(join(launch, 'spool'))
    .filter((name) => !name.startsWith('.'))
    .toSorted();
}

function onlyPayload(launch: string): Buffer {
  const names = readdirSync(join(launch, 'spool'));
  expect(names).toEqual([expect.stringMatching(/^\d+\.\d+\.\w+$/)]);
  return readFileSync(join(launch, 'spool', names[0] ?? ''));
}

function finish(child: ChildProcess): Promise<HookResult> {
  let output = '';
  let pipeError: string | undefined;
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  child.stdin?.on('error', (error) => (pipeError = error.message));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, output, pipeError }));
  });
}
