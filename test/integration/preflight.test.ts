import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const create = ['create', 'a1', '--agent', 'claude', '--role', 'creator', '--permissions', 'ask'];

describe('a check before a start', () => {
  it('ends with the command that made it, when that is killed too', async () => {
    await using bed = await TestBed.open();
    const pidFile = join(bed.root, 'probe-pid');
    const PATH = `${hangingClaude(bed, pidFile)}:${bed.env.PATH}`;
    const command = bed.start(create, { env: { PATH } });
    const pid = await until('it hangs', () => {
      return existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8'));
    });
    expect(isAlive(pid)).toBe(true);
    command.kill('SIGKILL');
    await until('it is gone', () => !isAlive(pid));
    expect(bed.processes()).toEqual([]);
  });
});

/** A program of this name that tells its pid and never ends. @returns Its folder. */
function hangingClaude(bed: TestBed, pidFile: string): string {
  const folder = join(bed.root, 'bin');
  mkdirSync(folder);
  const script = `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 600\n`;
  writeFileSync(join(folder, 'claude'), script);
  chmodSync(join(folder, 'claude'), 0o755);
  return folder;
}
