import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faceOf, logOf, monitor, withMonitor } from '../support/monitor-seen.ts';
import { isAlive } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('mam monitor', () => {
  it('starts, says how it is, and stops without a trace', async () => {
    await using bed = await TestBed.open();
    expect(await monitor(bed, 'status')).toEqual({ running: false, pid: null });
    const { pid } = await monitor(bed, 'start');
    expect(await monitor(bed, 'status')).toMatchObject({ running: true, pid, errors: [] });
    expect((await bed.ok(['status', '--json'])).stdout).toContain(
      `"monitor":{"running":true,"pid":${pid}}`,
    );
    expect((await bed.ok(['monitor', 'start'])).stdout).toContain(`Already running, pid ${pid}`);
    expect((await bed.ok(['monitor', 'run'])).stdout).toContain(`already running, pid ${pid}`);
    expect(await monitor(bed, 'stop')).toEqual({ running: false, pid: null });
    expect(isAlive(pid)).toBe(false);
    expect((await bed.ok(['monitor', 'stop'])).stdout).toContain('No monitor was running');
    const run = join(bed.cwd, '.mam/run');
    const left = readdirSync(run, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => name.endsWith('monitor.json'))).toEqual([]);
  });

  it.each([true, false])(
    'marks at once what has ended, and writes the face (control mode %s)',
    async (controlMode) => {
      await using bed = await TestBed.open();
      if (!controlMode) bed.configure('tmux: { control_mode: false }\n');
      for (const name of ['a', 'b']) await bed.create(name);
      await withMonitor(bed, async () => {
        await until(
          'it has connected',
          async () => (await monitor(bed, 'status')).control_mode === controlMode,
        );
        process.kill((await bed.session('a')).agent_pid, 'SIGKILL');
        await until('it is marked', async () => (await bed.session('a')).status === 'terminated');
        await until('the face says so', () => /status: terminated/.test(faceOf(bed)));
        expect((await bed.session('a')).ended).toMatchObject({ by: 'monitor', exit_code: 137 });
        expect((await bed.session('b')).activity.state).toBe('idle');
        await bed.ok(['send', 'b', 'hello', '--wait', 'answered']);
        await bed.ok(['stop', 'b']);
      });
      expect(logOf(bed)).toContain('A a: The agent ended with status 137');
      // What crashed keeps its pane, to be looked at.
      const left = bed.tmux('list-sessions', '-F', '#{session_name}').stdout;
      expect(left).toBe('demo-creator-a\n');
    },
  );

  it('delivers what waited for an agent that became idle', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await withMonitor(bed, async () => {
      await bed.ok(['send', 'a', '[[delay 3000]] [[say first]]']);
      const { code } = await bed.mam(['send', 'a', 'second', '--timeout', '0', '--id', 'q2']);
      expect(code).toBe(8);
      await until('it went out', () => bed.truth().length === 2);
      const { json } = await bed.ok(['send', 'a', 'second', '--id', 'q2', '--json']);
      expect(json.delivery.state).toBe('submitted');
    });
    expect(bed.truth().map(({ text }) => text)).toEqual(['[[delay 3000]] [[say first]]', 'second']);
  });

  it('is one of ten that start at once, and begins again after kill -9', async () => {
    await using bed = await TestBed.open();
    const all = await Promise.all(Array.from({ length: 10 }, () => monitor(bed, 'start')));
    const [pid = 0, ...others] = [...new Set(all.map((each) => each.pid))];
    expect(others).toEqual([]);
    process.kill(pid, 'SIGKILL');
    await until('it has ended', () => !isAlive(pid));
    expect((await monitor(bed, 'status')).running).toBe(false);
    const { pid: next } = await monitor(bed, 'start');
    expect(next).not.toBe(pid);
    expect(isAlive(next)).toBe(true);
    await monitor(bed, 'stop');
  });

  it('tells once of a server that is gone, and looks again when the next one is there', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b', 'c']) await bed.create(name);
    await withMonitor(bed, async () => {
      await until('it has connected', async () => (await monitor(bed, 'status')).control_mode);
      bed.tmux('kill-server');
      await until('it is told', () => logOf(bed).includes('server-gone'));
      await bed.ok(['resume', '--all']);
      await until(
        'it has connected again',
        async () => (await monitor(bed, 'status')).control_mode,
      );
      process.kill((await bed.session('b')).agent_pid, 'SIGKILL');
      await until('it is marked', async () => (await bed.session('b')).status === 'terminated');
    });
    expect(logOf(bed).match(/server-gone/g)).toHaveLength(1);
    await bed.ok(['stop', '--all']);
  });

  it('says when it could not look, and goes on trying', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    bed.configure('tmux: { path: /nowhere/tmux }\n');
    const { stdout } = await bed.ok(['monitor', 'start']);
    expect(stdout).toMatch(/could not look yet and goes on trying: .*\/nowhere\/tmux/);
    expect((await bed.ok(['monitor', 'status'])).stdout).toContain('last look not yet');
    bed.configure('');
    await until('it looks', async () =>
      /last look 20\d\d-/.test((await bed.ok(['monitor', 'status'])).stdout),
    );
    await monitor(bed, 'stop');
  });

  it('is said to be silent while it is stopped, and ends all the same', async () => {
    await using bed = await TestBed.open();
    const { pid } = await monitor(bed, 'start');
    process.kill(pid, 'SIGSTOP');
    await until('it is noticed', async () =>
      (await bed.ok(['monitor', 'status'])).stdout.includes('is it stopped?'),
    );
    await monitor(bed, 'stop');
    expect(isAlive(pid)).toBe(false);
  });

  it('outlives a log and a state file that cannot be written', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const { pid } = await monitor(bed, 'start');
    const log = join(bed.cwd, '.mam/logs/monitor.log');
    rmSync(log);
    mkdirSync(log);
    const { agent_pid: agent } = await bed.session('a');
    process.kill(agent, 'SIGKILL');
    await until('it is marked', async () => (await bed.session('a')).status === 'terminated');
    expect(isAlive(pid)).toBe(true);
    await monitor(bed, 'stop');
    expect(existsSync(log)).toBe(true);
  });
});
