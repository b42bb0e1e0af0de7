import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const SESSIONS = 12;
const TURNS = 5;

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
});
