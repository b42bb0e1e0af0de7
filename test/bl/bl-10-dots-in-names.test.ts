import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-10 dots in names', () => {
  it.each([
    ['the name of the folder', 'demo.example.io', []],
    ['a name with dots', 'my.repo.v1.2', ['my.repo.v1.2']],
  ])('finds a session with %s in every later command', async (_, name, given) => {
    await using bed = await TestBed.open();
    const folder = join(bed.cwd, name);
    mkdirSync(folder);
    const create = ['create', ...given, '--agent', 'demo', '--role', 'creator', '--json'];
    const { session } = (await bed.ok(create, { cwd: folder })).json;
    const tmuxName = `demo-creator-${name.replaceAll('.', '_')}`;
    expect(session).toMatchObject({ name, tmux_session: tmuxName, cwd: folder });
    expect(tmuxSessions(bed)).toEqual([tmuxName]);

    expect(await bed.session(name)).toMatchObject({ name, activity: { state: 'idle' } });
    await bed.ok(['send', name, 'the word is fig', '--wait', 'answered']);
    await bed.ok(['stop', name]);
    expect(tmuxSessions(bed)).toEqual([]);

    await bed.ok(['resume', name]);
    expect(tmuxSessions(bed)).toEqual([tmuxName]);
    const recalled = await bed.ok(['send', name, 'recall', '--wait', 'answered']);
    expect(recalled.stdout).toContain('the word is fig');
    await bed.ok(['stop', name]);
    expect(tmuxSessions(bed)).toEqual([]);
  });

  it('never lets `a.b` and `a_b` share a tmux session', async () => {
    await using bed = await TestBed.open();
    await bed.create('a.b');
    const { code, json } = await bed.mam([
      ...['create', 'a_b', '--agent', 'demo', '--role', 'creator', '--json'],
    ]);
    expect([code, json.error.code, json.error.details.session]).toEqual([4, 'name.taken', 'a.b']);
    expect(tmuxSessions(bed)).toEqual(['demo-creator-a_b']);
    expect(await bed.session('a.b')).toMatchObject({ activity: { state: 'idle' } });
  });
});

function tmuxSessions(bed: TestBed): string[] {
  const { stdout } = bed.tmux('list-sessions', '-F', '#{session_name}');
  return stdout.split('\n').filter((line) => line !== '');
}
