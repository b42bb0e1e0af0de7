import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectSoundFleet } from '../support/fleet-check.ts';
import { Pty } from '../support/pty.ts';
import { bundleFolder, finished, TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const create = (name: string, ...more: string[]) => [
  ...['create', name, '--agent', 'demo', '--role', 'creator'],
  ...more,
];

/** The command line of the bundle, for terminals and shells. */
const mam = (...args: string[]) => [
  process.execPath,
  join(bundleFolder('shipped'), 'mam.js'),
  ...args,
];

describe('attach', () => {
  it("--fit gives the window this terminal's size, and 140 × 40 back on detach", async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await using terminal = attachIn(bed, ['api', '--fit'], 97, 31);
    await until('the window fits', () => windowSize(bed) === '97x31');
    // The agent draws in it, and a capture says how large it is.
    await until('the agent has drawn itself anew', async () => {
      const { json } = await bed.ok(['capture', 'api', '--json']);
      return json.cols === 97 && json.rows === 31 && json.screen.includes('─'.repeat(97));
    });
    await bed.ok(['send', 'api', 'while it is attached', '--wait', 'answered']);
    terminal.write('\x02d');
    expect(await terminal.end()).toBe(0);
    await until('the size is back', () => windowSize(bed) === '140x40');
    expect(windowSizeOption(bed)).toBe('manual');
    await bed.ok(['send', 'api', 'and afterwards', '--wait', 'answered']);
  });

  it('--fit gives the size back when the terminal is closed, with the last client only', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await using first = attachIn(bed, ['api', '--fit'], 97, 31);
    await until('the window fits', () => windowSize(bed) === '97x31');
    await using second = attachIn(bed, ['api', '--fit'], 91, 29);
    await until('both are there', () => clients(bed) === 2);
    first.close();
    await until('one is left', () => clients(bed) === 1);
    await until('the window fits the other', () => windowSize(bed) === '91x29');
    second.close();
    await until('none is left', () => clients(bed) === 0);
    await until('the size is back', () => windowSize(bed) === '140x40');
    expect(windowSizeOption(bed)).toBe('manual');
  });

  it('without --fit leaves the size alone; --read-only types nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await using terminal = attachIn(bed, ['api', '--read-only'], 97, 31);
    await until('it is attached', () => clients(bed) === 1);
    terminal.write('typed by a person\r');
    expect(windowSize(bed)).toBe('140x40');
    await bed.ok(['send', 'api', 'by mam', '--wait', 'answered']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['by mam']);
    terminal.write('\x02d');
    expect(await terminal.end()).toBe(0);
  });

  it('--read-only --fit does both', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await using terminal = attachIn(bed, ['api', '--read-only', '--fit'], 97, 31);
    await until('the window fits', () => windowSize(bed) === '97x31');
    terminal.write('typed by a person\r');
    await bed.ok(['send', 'api', 'by mam', '--wait', 'answered']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['by mam']);
    terminal.write('\x02d');
    expect(await terminal.end()).toBe(0);
    await until('the size is back', () => windowSize(bed) === '140x40');
  });

  it('types to the agent, and ends with it', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await using terminal = attachIn(bed, ['api'], 140, 40);
    await until('it is attached', () => clients(bed) === 1);
    terminal.write('typed by a person\r');
    await until('it arrived', () => bed.truth().length === 1);
    await bed.ok(['stop', 'api']);
    expect(await terminal.end()).toBe(0);
    expect(bed.truth()[0]?.text).toBe('typed by a person');
  });

  it('refuses what has no terminal', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['stop', 'api']);
    await using terminal = attachIn(bed, ['api'], 100, 30);
    expect(await terminal.end()).toBe(4);
    expect(terminal.output).toContain('mam resume api');
  });
});

describe('Ctrl-C', () => {
  it('in a create leaves a session that the next command can use', async () => {
    await using bed = await TestBed.open();
    const booted = join(bed.root, 'booted');
    await using terminal = new Pty(mam(...create('api'), '--', '--boot-until', booted), {
      cwd: bed.cwd,
      env: bed.env,
    });
    const run = join(bed.cwd, '.mam/run');
    await until('the agent is starting', () => existsSync(run) && windowSize(bed) !== '');
    terminal.write('\x03');
    expect(await terminal.end()).toBe(130);
    expect(terminal.output).toContain('Interrupted');
    writeFileSync(booted, '');
    const session = await bed.session('api');
    expect(session.status).toBe('running');
    await bed.ok(['send', 'api', 'still there?', '--wait', 'answered']);
    expect((await bed.session('api')).agent_pid).toBe(session.agent_pid);
    await expectSoundFleet(bed);
    await bed.ok(['stop', 'api']);
    await expectSoundFleet(bed);
  });

  it('in a create does not end the tmux client that is at work', async () => {
    await using bed = await TestBed.open();
    const asked = join(bed.root, 'asked');
    const shim = makeTmuxShim(join(bed.root, 'shim'), {
      before: `case " $* " in *" new-session "*) : >${asked}; sleep 0.7 ;; esac`,
    });
    const env = { ...bed.env, PATH: `${shim.folder}:${bed.env.PATH}` };
    await using terminal = new Pty(mam(...create('api')), { cwd: bed.cwd, env });
    await until('tmux is asked', () => existsSync(asked));
    terminal.write('\x03');
    expect(await terminal.end()).toBe(130);
    // What it was at is done, so that the registry knows the session.
    expect((await bed.session('api')).status).toBe('running');
    await bed.ok(['send', 'api', 'ping', '--wait', 'answered']);
    await expectSoundFleet(bed);
  });

  it('in a create before anything exists leaves nothing', async () => {
    await using bed = await TestBed.open();
    const child = bed.start([...create('api'), '--json']);
    const ended = finished(child);
    await until('it runs', () => readdirSync(join(bed.cwd, '.mam')).includes('agent-sessions.db'));
    child.kill('SIGINT');
    const { code, json } = await ended;
    if (code === 130) expect(json.error.code).toBe('interrupted');
    else expect(code).toBe(0);
    await bed.mam(['stop', '--all']);
    await expectSoundFleet(bed);
  });

  it('in a resume leaves the session on its own conversation', async () => {
    await using bed = await TestBed.open();
    const booted = join(bed.root, 'booted');
    writeFileSync(booted, '');
    await bed.create('api', ['--boot-until', booted]);
    await bed.ok(['send', 'api', 'the word is fig', '--wait', 'answered']);
    const { conversation_id } = await bed.session('api');
    await bed.ok(['stop', 'api']);
    rmSync(booted);
    const child = bed.start(['resume', 'api', '--json']);
    const ended = finished(child);
    await until('it is starting', async () => (await bed.session('api')).status === 'running');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    writeFileSync(booted, '');
    const recalled = await bed.ok(['send', 'api', 'recall', '--wait', 'answered']);
    expect(recalled.stdout).toContain('the word is fig');
    expect((await bed.session('api')).conversation_id).toBe(conversation_id);
    await expectSoundFleet(bed);
  });

  it('in a send that waits for the answer keeps what was proven', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const child = bed.start(['send', 'api', '[[delay 3000]]', '--id', 'k1', '--wait', 'answered']);
    const ended = finished(child);
    await until('it works', async () => (await bed.session('api')).activity.state === 'working');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^mam: Interrupted; what was acknowledged is kept\.\n/);
    const again = await bed.ok([
      'send',
      'api',
      '[[delay 3000]]',
      '--id',
      'k1',
      '--wait',
      'answered',
    ]);
    expect(again.stdout).toContain('echo');
    expect(bed.truth().length).toBe(1);
    await expectSoundFleet(bed);
  });

  it('in a stop leaves what the next stop finishes', async () => {
    await using bed = await TestBed.open();
    await bed.create('api', ['--tree']);
    const child = bed.start(['stop', 'api', '--json']);
    const ended = finished(child);
    await until('the agent was asked', () => bed.truth().some(({ text }) => text === '/exit'));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await bed.ok(['stop', 'api']);
    const { sessions } = await expectSoundFleet(bed);
    expect(sessions.map(({ status }) => status)).toEqual(['stopped']);
  });

  it('ends a watch', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const child = bed.start(['status', '--watch', '--json']);
    const lines: string[] = [];
    child.stdout?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const ended = finished(child);
    await until('it has shown the first', () => lines.join('').includes('\n'));
    await bed.ok(['stop', 'api']);
    await until('it has shown the change', () => lines.join('').includes('"stopped"'));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    for (const line of lines.join('').trimEnd().split('\n')) {
      expect(JSON.parse(line).v ?? JSON.parse(line).error).toBeDefined();
    }
  });
});

describe('a role', () => {
  it('stays what it was: by create, and by hand', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const other = ['create', 'api', '--agent', 'demo', '--role', 'reviewer', '--json'];
    const refused = await bed.mam(other);
    expect(refused.code).toBe(4);
    expect(refused.json.error.message).toContain('role creator');

    const face = join(bed.cwd, '.mam/agent-sessions.yaml');
    const text = readFileSync(face, 'utf8').replace('role: creator', 'role: reviewer');
    writeFileSync(face, text);
    const { stderr } = await bed.ok(['stop', 'api']);
    expect(stderr).toMatch(/agent-sessions\.yaml was set aside/);
    expect((await bed.session('api')).role).toBe('creator');
    expect(readFileSync(face, 'utf8')).toContain('role: creator');
  });
});

describe('bad input that needs more than a line', () => {
  it.each([
    [['status', '--jsno'], '--json'],
    [['create', 'a', '--agnet', 'demo'], '--agent'],
    [['stop', '--al'], '--all'],
  ])('names the option that %j may mean', async (args, near) => {
    await using bed = await TestBed.open();
    const { code, stderr } = await bed.mam(args);
    expect(code).toBe(2);
    expect(stderr).toContain(near);
  });

  it.each([
    ['create:\n  trust: [\n', /config\.yaml:\d+:\d+: /],
    ['create:\n\ttrust: ask\n', /config\.yaml:2:1: /],
    ['create: {trust: ask}\ncreate: {trust: ask}\n', /config\.yaml:2:1: /],
    ['create:\n  timeout_s: soon\n', /config\.yaml:2:3: /],
    ['create:\n  permissions: maybe\n', /config\.yaml:2:3: /],
    ['- a\n', /config\.yaml:1:1: /],
  ])('tells line and column of %j', async (config, where) => {
    await using bed = await TestBed.open();
    const path = join(bed.cwd, '.mam/config.yaml');
    writeFileSync(path, config);
    for (const args of [['status'], create('a'), ['capture', 'a']]) {
      const { code, stdout, stderr } = await bed.mam(args);
      expect([code, stdout], args[0]).toEqual([2, '']);
      expect(stderr).toMatch(where);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    expect(readFileSync(path, 'utf8')).toBe(config);
  });

  it('refuses root where the agent does, before anything exists', async () => {
    await using bed = await TestBed.open();
    const bin = join(bed.root, 'bin');
    mkdirSync(bin);
    const marker = join(bed.root, 'was-run');
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n: >${marker}\necho '{"loggedIn":true}'\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { PATH: `${bin}:${bed.env.PATH}` };
    const args = [
      'create',
      'c',
      '--agent',
      'claude',
      '--role',
      'r',
      '--permissions',
      'skip',
      '--json',
    ];
    const { code, json } = await bed.mam(args, { env });
    const isRoot = process.getuid?.() === 0;
    // As an ordinary user it is started, and this one is no real Claude.
    expect([code, json.error.code]).toEqual([
      5,
      isRoot ? 'agent.refuses-root' : 'agent.start-failed',
    ]);
    if (isRoot) expect(json.error.hint).toContain('--permissions ask');
    const { sessions } = (await bed.ok(['status', '--json'])).json;
    expect(sessions.length).toBe(isRoot ? 0 : 1);
  });
});

describe('a reader of the output', () => {
  it('that wants one line gets it, and nothing else is said', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b', 'c']) await bed.create(name, [], ['--no-wait']);
    const words = mam('status')
      .map((word) => `'${word}'`)
      .join(' ');
    const options = { cwd: bed.cwd, env: bed.env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `${words} | head -1`], options);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^NAME +AGENT +ROLE +STATUS +ACTIVITY +BY +SINCE +FOLDER\n$/);
  });

  it.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('that goes away ends a watch, though nothing changes: %s', async (_, flags) => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const { stdout, stderr } = await finished(watchOneLine(bed, flags), { timeoutMs: 20_000 });
    expect([stdout.split('\n').at(1), stderr]).toEqual(['0', '']);
    const left = () => bed.processes().filter(({ command }) => /--watch|tail/.test(command));
    await until('nothing of the watch is left', () => left().length === 0);
  });

  it('that goes away ends a watch at the next change where no GNU tail is', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const bin = join(bed.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'tail'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const shell = watchOneLine(bed, [], { PATH: `${bin}:${bed.env.PATH}` });
    const ended = finished(shell, { timeoutMs: 20_000 });
    await until(
      'the first is read',
      () => !bed.processes().some(({ command }) => command === 'head -1'),
    );
    await bed.ok(['stop', 'a']);
    const { stdout, stderr } = await ended;
    expect([stdout.split('\n').at(1), stderr]).toEqual(['0', '']);
  });

  it('hears each step with --verbose, or by the setting; never a prompt', async () => {
    await using bed = await TestBed.open();
    const quiet = await bed.ok(create('b', '--prompt', 'hidden words'));
    expect(quiet.stderr).toBe('');
    const made = await bed.ok(create('a', '--prompt', 'hidden words', '--verbose'));
    const steps = ['launch prepared', 'pane made', 'agent is up', 'delivery submitted'];
    expectInOrder(made.stderr, steps);
    expect(made.stderr).not.toContain('hidden words');
    writeFileSync(join(bed.cwd, '.mam/config.yaml'), 'log: { level: debug }\n');
    const stopped = await bed.ok(['stop', 'a', '--json']);
    expect(stopped.json.sessions[0].status).toBe('stopped');
    expectInOrder(stopped.stderr, ['told to end by its own word', 'tmux session killed']);
    const back = await bed.ok(['resume', 'a']);
    expectInOrder(back.stderr, ['resumes its conversation', 'agent is up']);
  });

  it('waits with its answer until a dialog that was announced is drawn', async () => {
    await using bed = await TestBed.open();
    await bed.create('api', ['--dialog-lag-ms', '1200']);
    await bed.ok(['send', 'api', '[[permission ls]]']);
    await bed.ok(['status', 'api', '--wait', 'awaiting-approval']);
    const { json } = await bed.ok(['answer', 'api', 'yes', '--json']);
    expect(json).toEqual({ v: 1, answered: 'Yes' });
  });

  it('hears what an answer chose', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['send', 'api', '[[permission ls]]']);
    await bed.ok(['status', 'api', '--wait', 'awaiting-approval']);
    const wrong = await bed.mam(['answer', 'api', '1', '--json']);
    expect([wrong.code, wrong.json.error.code]).toEqual([4, 'answer.no-such-option']);
    const { json } = await bed.ok(['answer', 'api', 'yes', '--json']);
    expect(json).toEqual({ v: 1, answered: 'Yes' });
    await bed.ok(['status', 'api', '--wait', 'idle']);
    const none = await bed.mam(['answer', 'api', 'yes', '--json']);
    expect([none.code, none.json.error.code]).toEqual([4, 'answer.no-dialog']);
  });
});

/** A shell that reads one line of a watch and then prints the watch's exit code. */
function watchOneLine(bed: TestBed, flags: readonly string[], env = {}) {
  const words = mam('status', '--watch', ...flags).map((word) => `'${word}'`);
  const script = `${words.join(' ')} | head -1; echo "\${PIPESTATUS[0]}"`;
  return spawn('bash', ['-c', script], { cwd: bed.cwd, env: { ...bed.env, ...env } });
}

function expectInOrder(text: string, steps: readonly string[]): void {
  const lines = text.split('\n').filter((line) => line.startsWith('mam: debug: '));
  const places = steps.map((step) => lines.findIndex((line) => line.includes(step)));
  expect(places, text).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
}

function attachIn(bed: TestBed, args: readonly string[], cols: number, rows: number): Pty {
  return new Pty(mam('attach', ...args), { cwd: bed.cwd, env: bed.env, cols, rows });
}

function windowSize(bed: TestBed): string {
  const format = '#{window_width}x#{window_height}';
  return bed.tmux('display-message', '-p', '-t', ':', format).stdout.trim();
}

function windowSizeOption(bed: TestBed): string {
  return bed.tmux('show-options', '-w', '-v', '-t', ':', 'window-size').stdout.trim();
}

function clients(bed: TestBed): number {
  return bed.tmux('list-clients', '-F', 'x').stdout.split('\n').filter(Boolean).length;
}
