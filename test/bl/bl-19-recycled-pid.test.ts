import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { monitor } from '../support/monitor-seen.ts';
import { findProcess, isAlive } from '../support/processes.ts';
import { patchSession } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('BL-19 a recycled or nonsense pid gets the signal', () => {
  it('signals nobody for a number that is somebody else by now', async () => {
    await using bed = await TestBed.open();
    const sleeper = await startSleeper(bed);
    await bed.create('a1');
    const { tmux, launch, agent_pid } = await bed.session('a1');
    bed.tmux('kill-session', '-t', tmux.session_id);
    await until('the agent has ended', () => !isAlive(agent_pid));
    const recycled = { pid: sleeper.pid, start_ticks: '1' };
    const at = new Date(0).toISOString();
    patchSession(bed, 'a1', {
      agent_process: recycled,
      pane: {
        pid: sleeper.pid,
        pid_start_ticks: '1',
        children: [{ ...recycled, started_at: at, cmd: 'sleep' }],
      },
    });
    for (const name of ['agent', 'inner', 'left']) {
      writeFileSync(join(bed.cwd, '.mam/run', launch, name), `${sleeper.pid} 1\n`);
    }
    const { stdout } = await bed.ok(['stop', 'a1']);
    expect(stdout).toContain('had already ended');
    expect(await bed.session('a1')).toMatchObject({ status: 'terminated', agent_pid: null });
    await bed.ok(['resume', 'a1']);
    await bed.ok(['stop', 'a1']);
    expect(isAlive(sleeper.pid)).toBe(true);
  });

  it('signals nobody for what is not a number, and ends the session all the same', async () => {
    await using bed = await TestBed.open();
    const sleeper = await startSleeper(bed);
    const { pid } = sleeper;
    const ticks = findProcess(pid)?.startTicks ?? '';
    const nonsense = [
      ...['0', '-1', '1', '', '12abc', '99999999', `${pid}`, `${pid} 1`, `-${pid} ${ticks}`],
      ...[
        `${pid} ${ticks} x`,
        `${pid} ${ticks}\n${pid} ${ticks}`,
        `0${pid} ${ticks}`,
        '\0',
        'folder',
      ],
    ];
    for (const content of nonsense) {
      const { session } = (await bed.create('a1')).json;
      for (const name of ['agent', 'inner']) {
        replace(join(bed.cwd, '.mam/run', session.launch, name), content);
      }
      const number = Number.parseInt(content, 10);
      if (number > 0) patchSession(bed, 'a1', { agent_process: { pid: number } });
      expect((await bed.mam(['status', '--json'])).code, content).toBe(0);
      const stopped = await bed.ok(['stop', 'a1', '--purge-conversation', '--json']);
      expect(stopped.json.sessions[0].survivors, content).toEqual([]);
      await until(`the agent ended: ${content}`, () => !isAlive(session.agent_pid));
      expect(isAlive(pid), content).toBe(true);
    }
  });

  it('signals nobody for what stands in the state file of the monitor, which starts all the same', async () => {
    await using bed = await TestBed.open();
    const sleeper = await startSleeper(bed);
    const { pid } = sleeper;
    await bed.ok(['monitor', 'start']);
    const path = stateFile(bed);
    const good = JSON.parse(readFileSync(path, 'utf8'));
    await bed.ok(['monitor', 'stop']);
    expect(existsSync(path)).toBe(false);

    const ticks = findProcess(pid)?.startTicks;
    const older = String(Number(ticks) - 1);
    const record = (change: object) => JSON.stringify({ ...good, ...change });
    const numbers = [0, -1, 1, 99_999_999, -pid, pid + 0.5, `${pid}`, [pid], true, null];
    const contents = [
      record({ pid, start_ticks: older }),
      // Right in all, of a process that is no monitor.
      record({ pid, start_ticks: ticks }),
      // Right but for the boot that it was of, or the namespace in which the number meant something.
      record({ pid, start_ticks: ticks, boot: 'another' }),
      record({ pid, start_ticks: ticks, pid_namespace: 'pid:[1]' }),
      ...numbers.map((each) => record({ pid: each, start_ticks: older })),
      ...['0', '-1', '1', '', '12abc', '99999999', `${pid}`, '{', 'null', '[]', '\0', 'folder'],
      `${record({ pid, start_ticks: older })}\n${record({ pid, start_ticks: older })}\n`,
      `${pid}\n${pid}\n`,
    ];
    for (const content of contents) {
      replace(path, content);
      expect(await monitor(bed, 'status'), content).toEqual({ running: false, pid: null });
      expect((await bed.ok(['monitor', 'stop'])).stdout, content).toBe('No monitor was running\n');
      expect(isAlive(pid), content).toBe(true);
    }
    for (const content of [contents[0] ?? '', `${pid}\n${pid}\n`, '', 'folder']) {
      replace(path, content);
      const started = await monitor(bed, 'start');
      expect(started, content).toMatchObject({ running: true });
      expect(JSON.parse(readFileSync(path, 'utf8')), content).toMatchObject({ pid: started.pid });
      await bed.ok(['monitor', 'stop']);
      expect([isAlive(started.pid), isAlive(pid)], content).toEqual([false, true]);
    }
  });
});

/** Of the monitor of this bed, which has one. */
function stateFile(bed: TestBed): string {
  const run = join(bed.cwd, '.mam/run');
  const host = readdirSync(run).find((name) => existsSync(join(run, name, 'monitor.json')));
  return join(run, host ?? 'none', 'monitor.json');
}

interface Sleeper extends ChildProcess {
  readonly pid: number;
}

/** Somebody's process, older than nothing of ours. */
async function startSleeper(bed: TestBed): Promise<Sleeper> {
  const child = spawn('sleep', ['600'], { env: bed.env, stdio: 'ignore', detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('sleep did not start');
  await until('it sleeps', () => findProcess(pid)?.state === 'S');
  return Object.assign(child, { pid });
}

function replace(path: string, content: string): void {
  rmSync(path, { force: true, recursive: true });
  if (content === 'folder') mkdirSync(path);
  else writeFileSync(path, content);
}
