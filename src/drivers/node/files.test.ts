import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeFiles } from './files.ts';

/** Puts files into a folder while it is there, 20 000 at most, and says when the first is. */
const WRITER = `echo > "$1/0"; echo begun; i=1; while [ $i -lt 20000 ]; do : > "$1/$i"; i=$((i+1)); done`;

it('deletes a folder into which somebody still writes, and leaves nothing of it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mam-files-'));
  for (let round = 0; round < 10; round++) {
    const folder = join(root, 'launch');
    mkdirSync(folder);
    const writer = spawn('sh', ['-c', WRITER, 'sh', folder], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    await new Promise((resolve) => writer.stdout.once('data', resolve));
    nodeFiles('/').remove(folder);
    expect(existsSync(folder)).toBe(false);
    await ended;
    expect(readdirSync(root)).toEqual([]);
  }
  rmSync(root, { recursive: true });
});
