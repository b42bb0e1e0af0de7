import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/drivers/tmux/control/command-line.ts';
import {
  type ConnectionEnd,
  ConnectionLostError,
  ControlConnection,
} from '../../src/drivers/tmux/control/connection.ts';
import { ControlRunner } from '../../src/drivers/tmux/control/runner.ts';
import { TmuxRig } from '../support/tmux-rig.ts';
import { until } from '../support/until.ts';

const SLEEP = 'exec sleep 600';
let rig: TmuxRig;
let notices: string[];
let ends: ConnectionEnd[];
const handlers = {
  onNotice: (name: string) => void notices.push(name),
  onEnd: (end: ConnectionEnd) => void ends.push(end),
};

beforeEach(() => {
  rig = new TmuxRig();
  notices = [];
  ends = [];
});
afterEach(() => rig[Symbol.asyncDispose]());

/** To a server that has a session already: a connection starts none. */
async function connect(timeoutMs = 10_000): Promise<ControlRunner> {
  if (rig.tmux('list-sessions').status !== 0) await rig.start('first', SLEEP);
  const runner = new ControlRunner({ ...rig.client, timeoutMs }, handlers);
  expect(await runner.connect()).toBe(true);
  return runner;
}

describe('a control connection', () => {
  it('answers a thousand lists at once, each with its own', async () => {
    using runner = await connect();
    const words = Array.from({ length: 1_000 }, (_, i) => `answer ${i} ' " $HOME ~ ;x #`);
    const answers = await Promise.all(
      words.map((word) => runner.run(['display-message', '-p', word, ';', 'no-such-command'])),
    );
    // The parser of a list refuses it whole.
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([1]));
    const shown = await Promise.all(
      words.map((word) => runner.run(['display-message', '-p', word])),
    );
    expect(shown.map(({ stdout }) => stdout)).toEqual(words.map((word) => `${word}\n`));
  });

  it('ends a list at its first error, and tells it', async () => {
    using runner = await connect();
    const list = ['display-message', '-p', 'a', ';', 'kill-session', '-t', '=none', ';'];
    const result = await runner.run([...list, 'display-message', '-p', 'b']);
    expect(result).toEqual({ code: 1, stdout: 'a\n', stderr: "can't find session: none\n" });
    expect((await runner.run(['display-message', '-p', 'c'])).stdout).toBe('c\n');
  });

  it('takes a reply of megabytes', async () => {
    await rig.start('a', `seq 1 200000; ${SLEEP}`);
    using runner = await connect();
    await until('it is all there', async () => {
      const { stdout } = await runner.run(['capture-pane', '-p', '-S', '-', '-t', '=a:']);
      return stdout.includes('\n200000\n');
    });
    const { stdout } = await runner.run(['capture-pane', '-p', '-S', '-', '-t', '=a:']);
    const numbers = stdout.trim().split('\n').map(Number);
    expect(numbers.length).toBeGreaterThan(10_000);
    expect(numbers.every((each, i) => i === 0 || each === (numbers[i - 1] ?? 0) + 1)).toBe(true);
  });

  it('tells at once that a session has ended', async () => {
    const { panePid } = await rig.start('a', SLEEP);
    using _ = await connect();
    await until('it is quiet', () => notices.length > 0);
    notices.length = 0;
    process.kill(panePid, 'SIGKILL');
    await until('it was told', () => notices.includes('sessions-changed'));
  });

  it('gets no output of panes', async () => {
    using runner = await connect();
    await rig.start('a', `yes; ${SLEEP}`);
    for (let i = 0; i < 50; i++) await runner.run(['display-message', '-p', 'x']);
    expect(notices.filter((name) => name.includes('output'))).toEqual([]);
  });

  it('leaves the size of windows as it is', async () => {
    await rig.start('a', SLEEP);
    using runner = await connect();
    const { stdout } = await runner.run([
      'list-windows',
      '-a',
      '-F',
      '#{window_width}x#{window_height}',
    ]);
    expect(stdout).toBe('140x40\n140x40\n');
  });

  it('ends with the server, and what was asked goes by a process', async () => {
    await rig.start('a', SLEEP);
    using runner = await connect();
    const { stdout: pid } = await runner.run(['display-message', '-p', '#{pid}']);
    process.kill(Number(pid), 'SIGKILL');
    await until('its end was told', () => ends.length === 1);
    expect(['lost', 'exit']).toContain(ends[0]);
    expect(runner.isConnected).toBe(false);
    const after = await runner.run(['list-sessions']);
    expect(after.code).toBe(1);
    expect(after.stderr).toMatch(/no server running|error connecting/);
  });

  it('loses nothing of what was under way when its client is killed', async () => {
    await rig.start('a', SLEEP);
    using runner = await connect();
    const clients = await runner.run(['list-clients', '-F', '#{client_pid}']);
    process.kill(Number(clients.stdout), 'SIGSTOP');
    const asked = Array.from({ length: 20 }, () => runner.run(['display-message', '-p', 'x']));
    process.kill(Number(clients.stdout), 'SIGKILL');
    expect((await Promise.all(asked)).map(({ stdout }) => stdout)).toEqual(asked.map(() => 'x\n'));
    expect(await runner.connect()).toBe(true);
    expect(rig.tmux('list-sessions', '-F', '#{session_name}').stdout).toBe('a\nmam-keeper\n');
  });

  it('gives up a server that does not answer in time', async () => {
    await rig.start('a', SLEEP);
    using runner = await connect(1_500);
    const { stdout: pid } = await runner.run(['display-message', '-p', '#{pid}']);
    process.kill(Number(pid), 'SIGSTOP');
    const asked = await runner.run(['list-sessions']).catch((error: unknown) => error);
    process.kill(Number(pid), 'SIGCONT');
    expect(ends).toEqual(['silent']);
    expect(asked).toMatchObject({ code: 'tmux.unreachable' });
  });

  it('does not give up a reply that came while we ourselves were stopped', async () => {
    await rig.start('a', SLEEP);
    using runner = await connect(2_000);
    const asked = runner.run(['display-message', '-p', 'x']);
    // Nothing of this process runs meanwhile, as after SIGSTOP.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);
    expect((await asked).stdout).toBe('x\n');
    expect([runner.isConnected, ends]).toEqual([true, []]);
  });

  it('rejects what is asked after its end', async () => {
    await rig.start('a', SLEEP);
    const attach = ['attach-session', '-t', '=a'];
    const connection = new ControlConnection(rig.client, attach, handlers);
    expect((await connection.run('display-message -p x')).stdout).toBe('x\n');
    connection.close();
    expect(ends).toEqual(['closed']);
    const late = await connection.run('display-message -p x').catch((error: unknown) => error);
    expect(late).toBeInstanceOf(ConnectionLostError);
  });

  it('is lost when there is no tmux', async () => {
    const client = { ...rig.client, program: join(rig.folder, 'none') };
    const runner = new ControlRunner(client, handlers);
    expect(await runner.connect()).toBe(false);
    expect(ends).toEqual(['lost']);
  });

  it('is given up when its program is no tmux and talks without end, which is ended', async () => {
    const program = join(rig.folder, 'talks');
    writeFileSync(program, '#!/bin/sh\nexec yes on and on\n', { mode: 0o755 });
    const runner = new ControlRunner({ ...rig.client, program, timeoutMs: 500 }, handlers);
    expect(await runner.connect()).toBe(false);
    expect(ends).toHaveLength(1);
    const talks = () => rig.commandLines().some((line) => line.startsWith('yes\0on\0'));
    await until('it is ended', () => !talks());
  });
});

describe('commandLine', () => {
  it('cannot carry a line break', () => {
    expect(commandLine(['a', 'b\nc'])).toBeUndefined();
    expect(commandLine(['a', ';', "b'c"])).toBe("'a' ; 'b'\\''c'");
  });
});
