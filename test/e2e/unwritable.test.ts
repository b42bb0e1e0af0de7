import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const asUser = { asUser: true };
const init = ['init', '--json'];
const create = ['create', 'a', '--agent', 'demo', '--role', 'creator', '--json'];

/** Every path in the bed. SQLite's own side files may come. */
function everything(bed: TestBed): readonly string[] {
  const names = readdirSync(bed.root, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !/-(?:wal|shm)$/.test(name)).sort();
}

/** A bed with these folders, relative to its root, of which the last can be read only. */
function bedWith(...folders: readonly string[]): TestBed & { readonly folder: string } {
  const bed = new TestBed();
  for (const name of folders) mkdirSync(join(bed.root, name), { recursive: true });
  bed.giveToUser();
  return Object.assign(bed, { folder: join(bed.root, folders.at(-1) ?? '') });
}

describe('a folder that cannot be written', () => {
  it.each([
    ['the folder itself', init, ['ws']],
    ['the home', init, ['home']],
    ['~/.mam', init, ['home/.mam']],
    ['~/.mam/trust/workspaces', init, ['home/.mam/trust/workspaces']],
    ['.mam of a clone', init, ['ws/.mam']],
    ['the home', create, ['home']],
    ['~/.mam', create, ['home/.mam']],
  ])('%s: is named with what to do, and nothing is left: %j', async (_, args, folders) => {
    await using bed = bedWith(...folders);
    chmodSync(bed.folder, 0o555);
    const before = everything(bed);
    const { code, json } = await bed.mam(args, asUser);
    const after = everything(bed);
    chmodSync(bed.folder, 0o755);
    expect([code, json.error.code]).toEqual([10, 'registry.unwritable']);
    expect(json.error.message).toMatch(/EACCES: permission denied/);
    expect(json.error.message).not.toContain('\n');
    expect(json.error.hint).toContain(`${bed.folder} `);
    expect(after).toEqual(before);
    await bed.ok(args, asUser);
  });

  it.each(['home/.mam', 'home/.mam/run/servers'])(
    '%s: a create in a workspace starts nothing, or takes it back',
    async (name) => {
      await using bed = bedWith(name);
      await bed.ok(init, asUser);
      chmodSync(bed.folder, 0o555);
      const { code, json } = await bed.mam(create, asUser);
      const { sessions, tmux } = (await bed.ok(['status', '--json'], asUser)).json;
      chmodSync(bed.folder, 0o755);
      expect([code, json.error.code]).toEqual([10, 'registry.unwritable']);
      expect(json.error.hint).toContain(`${bed.folder} `);
      expect([sessions, tmux.server]).toEqual([[], 'none']);
      const run = join(bed.cwd, '.mam/run');
      expect(readdirSync(run).filter((each) => each.length === 26)).toEqual([]);
      expect(bed.processes()).toEqual([]);
      await bed.ok(create, asUser);
    },
  );

  it('home/.mam/run/servers: a resume leaves the session as it was', async () => {
    await using bed = bedWith('home/.mam/run/servers');
    await bed.ok(init, asUser);
    await bed.ok([...create, '--prompt', 'the word is fig'], asUser);
    await bed.ok(['stop', 'a'], asUser);
    const seen = async () => (await bed.ok(['status', '--json'], asUser)).json.sessions;
    const before = await seen();
    chmodSync(bed.folder, 0o555);
    const { code, json } = await bed.mam(['resume', 'a', '--json'], asUser);
    chmodSync(bed.folder, 0o755);
    expect([code, json.failed[0].error.code]).toEqual([10, 'registry.unwritable']);
    expect(await seen()).toEqual(before);
    expect(bed.processes()).toEqual([]);
    await bed.ok(['resume', 'a'], asUser);
    const recalled = await bed.ok(['send', 'a', 'recall', '--wait', 'answered'], asUser);
    expect(recalled.stdout).toContain('the word is fig');
  });

  it('.mam of a workspace: a create names it, and makes nothing', async () => {
    await using bed = bedWith('ws');
    await bed.ok(init, asUser);
    const folder = join(bed.cwd, '.mam');
    const before = everything(bed);
    chmodSync(folder, 0o555);
    const { code, json } = await bed.mam(create, asUser);
    chmodSync(folder, 0o755);
    expect([code, json.error.code]).toEqual([10, 'registry.unwritable']);
    expect(json.error.hint).toContain(`${folder} `);
    expect(everything(bed)).toEqual(before);
  });
});
