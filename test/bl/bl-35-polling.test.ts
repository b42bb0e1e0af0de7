import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Held } from '../support/held.ts';
import { bundleFolder, finished, TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const SESSIONS = 12;
const TURNS = 5;
const WARM_UP = 500;
const HALF = 1_000;
/** One number kept of each look takes 8 or more; where nothing is kept, less than 2 were measured. */
const BYTES_A_LOOK = 4;

async function turnsOf(bed: TestBed): Promise<number> {
  return JSON.parse((await bed.ok(['monitor', 'status', '--json'])).stdout).monitor.turns;
}

describe('BL-35 polling eats the machine', () => {
  it.each([
    ['over one connection', true, 0],
    ['by processes', false, 1],
  ])(
    'takes a fixed number of tmux processes a look, not one a session (%s)',
    async (_, controlMode, each) => {
      await using bed = await TestBed.open();
      const names = Array.from({ length: SESSIONS }, (_each, i) => `s${i}`);
      await Promise.all(names.map((name) => bed.create(name)));
      const shim = makeTmuxShim(join(bed.root, 'counting'));
      const settings = { path: shim.program, control_mode: controlMode };
      bed.configure(`tmux: ${JSON.stringify(settings)}\n`);
      await bed.ok(['monitor', 'start']);
      const from = { turns: await turnsOf(bed), calls: shim.calls() };
      await until(
        'it has looked some times',
        async () => (await turnsOf(bed)) >= from.turns + TURNS,
        60_000,
      );
      const turns = (await turnsOf(bed)) - from.turns;
      const calls = shim.calls() - from.calls;
      // The state file tells of turns late, never early.
      expect(calls).toBeLessThanOrEqual(each * (turns + TURNS) + 1);
      expect(calls).toBeGreaterThanOrEqual(each * turns - 1);
      await bed.ok(['monitor', 'stop']);
      await bed.ok(['stop', '--all']);
    },
  );

  it('holds after thousands of looks what it held before, whatever it saw in them', async () => {
    await using bed = await TestBed.open();
    const [first, middle, last] = await heldAfter(bed, WARM_UP, WARM_UP + HALF, WARM_UP + 2 * HALF);
    const grown = [heapOf(middle) - heapOf(first), heapOf(last) - heapOf(middle)];
    expect(Math.max(...grown), String(grown)).toBeLessThan(HALF * BYTES_A_LOOK);
    expect([middle?.openFiles, last?.openFiles]).toEqual([first?.openFiles, first?.openFiles]);
  });
});

function heapOf(held: Held | undefined): number {
  return held?.heapBytes ?? Number.NaN;
}

/** Of a monitor whose looks follow each other without a pause, in a world that changes with each. */
async function heldAfter(bed: TestBed, ...looks: readonly number[]): Promise<readonly Held[]> {
  const worker = join(bundleFolder('crash'), 'workers', 'monitor-turns.mjs');
  // Without compiled code, whose memory comes and goes: then the same looks hold the same bytes.
  const argv = ['--expose-gc', '--jitless', worker, bed.cwd, 'changing', ...looks.map(String)];
  const child = spawn(process.execPath, argv, { cwd: bed.cwd, env: bed.env });
  const { code, stdout, stderr } = await finished(child);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
