import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const quickstart = join(root, 'scripts/quickstart.sh');

/** A folder that holds only these programs of the machine. */
function pathWith(bed: TestBed, programs: readonly string[]): string {
  const folder = join(bed.root, 'bin');
  mkdirSync(folder);
  for (const program of programs) {
    const found = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' });
    symlinkSync(found.stdout.trim(), join(folder, program));
  }
  return folder;
}

const TOOLS = ['sh', 'dirname', 'id', 'sed', 'uname', 'env', 'cat', 'date', 'rm', 'mv', 'sleep'];

describe('the first command of the README', () => {
  it('is the script that is there', () => {
    const [, command] =
      /main job\*\*.*\n\n```sh\n(.*)\n```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ??
      [];
    expect(command).toBe('sh scripts/quickstart.sh');
  });

  it('sets up and runs the main job: two agents, one stopped and resumed, it remembers', async () => {
    await using bed = await TestBed.open();
    const result = spawnSync('sh', [quickstart, join(bed.cwd, 'try')], {
      cwd: bed.cwd,
      env: bed.env,
      encoding: 'utf8',
    });
    expect([result.status, result.stderr]).toEqual([0, expect.any(String)]);
    expect(result.stdout).toContain('Resumed writer on conversation');
    expect(result.stdout).toContain('I remember 1 earlier messages: "My word is kiwi"');
    expect(result.stdout).toContain('Where to look');
    const prompts = bed.truth().filter(({ mode }) => mode === 'prompt');
    expect(prompts.map(({ text }) => text)).toEqual([
      'My word is kiwi',
      'My word is quince',
      'recall',
    ]);
  });

  it('names the one command that installs what is missing, and does nothing', async () => {
    await using bed = await TestBed.open();
    const PATH = pathWith(bed, [...TOOLS, 'node']);
    const result = spawnSync('sh', [quickstart, '--check'], {
      cwd: bed.cwd,
      env: { ...bed.env, PATH },
      encoding: 'utf8',
    });
    expect(result.status).toBe(5);
    expect(result.stderr).toMatch(/→ (?:sudo )?apt-get install -y tmux/);
    expect(result.stdout).toBe('');
  });

  it('says which Node is needed when there is none', async () => {
    await using bed = await TestBed.open();
    const PATH = pathWith(bed, TOOLS);
    const result = spawnSync('sh', [quickstart, '--check'], {
      cwd: bed.cwd,
      env: { ...bed.env, PATH },
      encoding: 'utf8',
    });
    expect(result.status).toBe(5);
    expect(result.stderr).toContain('Node 20.19 or newer is needed; found: none');
  });
});
