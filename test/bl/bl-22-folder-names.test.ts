import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectKey } from '../../src/agents/claude/config-dir.ts';
import { TestBed } from '../support/test-bed.ts';

const FOLDERS = ['my_app', 'my.app', 'my-app', 'my app/.cfg', "o'brien $HOME; é"];

describe('BL-22 folder names with odd characters, and links', () => {
  it('each conversation is found from where it was started, by link or by real path', async () => {
    await using bed = await TestBed.open();
    for (const folder of FOLDERS) mkdirSync(join(bed.cwd, folder), { recursive: true });
    symlinkSync(join(bed.cwd, 'my_app'), join(bed.cwd, 'link'));
    const places = [...FOLDERS, 'link'];
    for (const [at, place] of places.entries()) {
      await bed.create(`s${at}`, [], ['--cwd', join(bed.cwd, place)]);
      await bed.ok(['send', `s${at}`, `the word of ${place}`, '--wait', 'answered']);
    }
    const ids = await Promise.all(
      places.map(async (_, at) => (await bed.session(`s${at}`)).conversation_id),
    );
    expect(new Set(ids).size).toBe(places.length);
    expect((await bed.session(`s${FOLDERS.length}`)).cwd).toBe(join(bed.cwd, 'my_app'));
    await bed.ok(['stop', '--all']);

    const resumed = await bed.ok(['resume', '--all', '--json'], { cwd: join(bed.cwd, 'link') });
    expect(resumed.json.failed).toEqual([]);
    for (const [at, place] of places.entries()) {
      expect((await bed.session(`s${at}`)).conversation_id).toBe(ids[at]);
      const { stdout } = await bed.ok(['send', `s${at}`, 'recall', '--wait', 'answered']);
      expect(stdout).toContain(`"the word of ${place}"`);
    }
    await bed.ok(['stop', '--all']);
  });

  it('folders that share a key of Claude Code are told apart by what their files say', () => {
    const keys = ['my_app', 'my.app', 'my-app'].map((name) => projectKey(`/w/${name}`));
    expect(new Set(keys)).toEqual(new Set(['-w-my-app']));
  });
});
