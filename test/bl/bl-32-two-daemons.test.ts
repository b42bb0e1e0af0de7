import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

/** The state file of the bed's monitor. */
function stateFile(bed: TestBed): { readonly pid: number; readonly ready: boolean } | undefined {
  const run = join(bed.cwd, '.mam/run');
  const host = readdirSync(run).find((name) => existsSync(join(run, name, 'monitor.json')));
  if (host === undefined) return undefined;
  return JSON.parse(readFileSync(join(run, host, 'monitor.json'), 'utf8'));
}

async function startTen(bed: TestBed): Promise<readonly string[]> {
  const all = Array.from({ length: 10 }, () => bed.mam(['monitor', 'start']));
  const results = await Promise.all(all);
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
  return results.map(({ stdout }) => stdout);
}

describe('BL-32 two daemons at once', () => {
  it('settles ten starts to one, however slow it is, and the losers touch nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const shim = makeTmuxShim(join(bed.root, 'slow'), { before: 'sleep 2' });
    bed.configure(`tmux: { path: ${JSON.stringify(shim.program)} }\n`);
    const said = await startTen(bed);
    const pids = new Set(said.map((line) => Number(/pid (\d+)/.exec(line)?.[1])));
    expect(pids.size).toBe(1);
    const [winner = 0] = pids;
    expect(said.filter((line) => line.startsWith('Started'))).toHaveLength(1);
    expect(said.filter((line) => /^Already (?:starting|running), pid/.test(line))).toHaveLength(9);
    await until('the losers have ended', () => monitorsOf(bed).length === 1);
    expect([stateFile(bed)?.pid, isAlive(winner)]).toEqual([winner, true]);

    // The entry that the others run, directly.
    expect((await bed.ok(['monitor', 'run'])).stdout).toContain(`already running, pid ${winner}`);
    expect([stateFile(bed)?.pid, isAlive(winner)]).toEqual([winner, true]);

    process.kill(winner, 'SIGKILL');
    await until('it has ended', () => !isAlive(winner));
    const next = await startTen(bed);
    expect(next.filter((line) => line.startsWith('Started'))).toHaveLength(1);
    expect(stateFile(bed)?.pid).not.toBe(winner);
    await bed.ok(['monitor', 'stop']);
    expect([stateFile(bed), monitorsOf(bed)]).toEqual([undefined, []]);
  });

  it('is not ended with the session of an agent that started it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const { launch } = await bed.session('a');
    await bed.ok(['monitor', 'start'], { env: { MAM_LAUNCH: launch, MAM_SESSION: 'a' } });
    const pid = stateFile(bed)?.pid ?? 0;
    const { json } = await bed.ok(['stop', 'a', '--json']);
    expect(json.sessions[0].survivors).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    await bed.ok(['monitor', 'stop']);
  });
});

/** Processes that are, or want to be, the monitor of this bed. */
function monitorsOf(bed: TestBed): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return line.includes('\0monitor\0run\0') && line.includes(bed.cwd);
    } catch {
      return false;
    }
  });
}
