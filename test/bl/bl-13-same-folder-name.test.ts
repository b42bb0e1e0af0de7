import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, TestBed } from '../support/test-bed.ts';

const flags = ['--agent', 'demo', '--role', 'creator', '--json'];
const create = ['create', ...flags];

describe('BL-13 two projects with the same folder name', () => {
  it('gives each its own session in its own folder', async () => {
    await using bed = new TestBed();
    const folders = ['one', 'two'].map((parent) => join(bed.root, parent, 'api'));
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      await bed.ok(['init'], { cwd: folder });
    }
    const made = await Promise.all(folders.map((cwd) => bed.ok(create, { cwd })));
    const sessions = made.map(({ json }) => json.session);
    expect(sessions.map(({ name, cwd }) => [name, cwd])).toEqual(
      folders.map((folder) => ['api', folder]),
    );
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(2);
    expect(new Set(sessions.map(({ tmux }) => tmux.socket)).size).toBe(2);

    const [one = '', two = ''] = folders;
    await bed.ok(['send', 'api', 'to the first', '--wait', 'answered'], { cwd: one });
    expect((await bed.ok(['capture', 'api'], { cwd: two })).stdout).not.toContain('to the first');
    await bed.ok(['stop', 'api'], { cwd: one });
    const second = (await bed.ok(['status', 'api', '--json'], { cwd: two })).json.sessions[0];
    expect(second.activity.state).toBe('idle');
  });

  it('lets exactly one of racing creates win; the others name it and touch nothing', async () => {
    await using bed = await TestBed.open();
    const race = await Promise.all([1, 2, 3, 4].map(() => bed.mam(['create', 'api2', ...flags])));
    const winners = race.filter(({ code }) => code === 0);
    const losers = race.filter(({ code }) => code !== 0);
    expect(winners.length).toBe(1);
    losers.forEach(expectNameTaken);

    const before = await picture(bed);
    expect(before.session.id).toBe(winners[0]?.json.session.id);
    expect(before.launches.length).toBe(1);
    expect(before.tmuxSessions).toEqual(['demo-creator-api2']);
    expectNameTaken(await bed.mam(['create', 'API2', ...flags]));
    expect(await picture(bed)).toEqual(before);
  });
});

function expectNameTaken({ code, json }: CliResult): void {
  expect([code, json.error.code]).toEqual([4, 'name.taken']);
  expect(json.error.message).toContain('api2');
  expect(json.error.details.session).toBe('api2');
}

/** Everything that a create that lost could have left or changed. */
async function picture(bed: TestBed) {
  const { activity: _, ...session } = await bed.session('api2');
  const launches = readdirSync(join(bed.cwd, '.mam/run')).filter((name) => name.length === 26);
  const { stdout } = bed.tmux('list-sessions', '-F', '#{session_name}');
  return { session, launches, tmuxSessions: stdout.trim().split('\n') };
}
