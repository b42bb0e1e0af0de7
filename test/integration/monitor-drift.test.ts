import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  findingsOf,
  monitor,
  untilConnected,
  untilLooked,
  withMonitor,
} from '../support/monitor-seen.ts';
import { findProcess, isAlive } from '../support/processes.ts';
import { patchSession } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

/** Stands for an agent that does not end with its terminal; the registry takes it for this session's. */
async function makeDeafAgent(bed: TestBed, name: string): Promise<number> {
  const { pid = 0 } = spawn('sleep', ['600'], { env: bed.env, stdio: 'ignore', detached: true });
  const { startTicks } = await until('it sleeps', () => findProcess(pid));
  patchSession(bed, name, { agent_process: { pid, start_ticks: startTicks } });
  return pid;
}

// A server that is gone, and one that cannot be reached: test/bl/bl-15-server-dies.test.ts.
describe('what the running monitor tells and does not mend', () => {
  it.each([true, false])(
    'an agent without its terminal: once, and nobody is marked (control mode %s)',
    async (controlMode) => {
      await using bed = await TestBed.open();
      if (!controlMode) bed.configure('tmux: { control_mode: false }\n');
      for (const name of ['deaf', 'other']) await bed.create(name);
      const pid = await makeDeafAgent(bed, 'deaf');
      await withMonitor(bed, async () => {
        await untilConnected(bed, controlMode);
        expect(findingsOf(bed)).toEqual([]);
        bed.tmux('kill-session', '-t', '=demo-creator-deaf');
        await until('it is told', () => findingsOf(bed).length > 0);
        await untilLooked(bed);
        const told = 'terminal-lost deaf: The agent lives without its terminal. [none]';
        expect(findingsOf(bed)).toEqual([told]);
        expect([isAlive(pid), (await bed.session('deaf')).status]).toEqual([true, 'running']);
        expect((await bed.session('other')).activity.state).toBe('idle');

        // What becomes of it is noticed all the same.
        process.kill(pid, 'SIGKILL');
        await until('its end is marked', async () => {
          return (await bed.session('deaf')).status === 'terminated';
        });
        expect(findingsOf(bed)).toEqual([told, expect.stringMatching(/^A deaf: /)]);
        expect((await monitor(bed, 'status')).errors).toEqual([]);
      });
      await bed.ok(['stop', '--all']);
    },
  );

  it('a program on our server that is no agent: once, and it is left alone', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await withMonitor(bed, async () => {
      await untilConnected(bed);
      bed.tmux('new-session', '-d', '-s', 'mine', 'exec sleep 600');
      await until('it is told', () => findingsOf(bed).length > 0);
      await untilLooked(bed);
      expect(findingsOf(bed)).toEqual([
        expect.stringMatching(/^B mine: .* left alone: .*\[none\]$/),
      ]);
      expect(bed.tmux('has-session', '-t', '=mine').code).toBe(0);
      bed.tmux('kill-session', '-t', '=mine');
    });
    await bed.ok(['stop', '--all']);
  });
});
