import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { makeRunFolder, reapDeadRuns } from '../support/run-folder.ts';
import { until } from '../support/until.ts';

it('ends what a killed run of the tests left, and nothing of a run that lives', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'mam-reap-'));
  const living = makeRunFolder(parent);
  const dead = join(parent, `mam-run-${process.pid}-1-x`);
  const strange = join(parent, 'mam-run-other');
  for (const folder of [dead, strange]) mkdirSync(folder);
  const sleepIn = (folder: string) =>
    spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, HOME: `${folder}/home` } });
  const [ours, left] = [sleepIn(living), sleepIn(dead)];
  reapDeadRuns(parent);
  await until('the one that was left has ended', () => !isAlive(left.pid ?? 0));
  expect([living, dead, strange].map((folder) => existsSync(folder))).toEqual([true, false, true]);
  expect(isAlive(ours.pid ?? 0)).toBe(true);
  ours.kill('SIGKILL');
  rmSync(parent, { recursive: true });
});
