import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionSeen } from '../support/command-json.ts';
import { withDatabase } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('BL-09 a short name hits a longer one', () => {
  it('finds nothing of `web-2` when `web` is gone', async () => {
    await using bed = await TestBed.open();
    await bed.create('web');
    const bytes = join(bed.root, 'web-2.bytes');
    await bed.create('web-2', ['--log-bytes', bytes]);
    const { tmux } = await bed.session('web');
    bed.tmux('kill-session', '-t', tmux.session_id);
    await until('web has ended', async () => {
      const { activity } = await bed.session('web');
      return activity.state === 'exited' || activity.state === 'lost';
    });

    const sent = await bed.mam(['send', 'web', 'hi', '--json']);
    expect(sent.code).toBe(4);
    expect(sent.json.delivery).toMatchObject({ state: 'refused' });
    expect(sent.json.delivery.reason).toMatch(/^(?:ended|lost)/);

    const seen = (await bed.ok(['status', '--json'])).json;
    expect(seen.sessions.map(nameAndState)).toEqual([
      ['web', 'exited'],
      ['web-2', 'idle'],
    ]);

    const stopped = await bed.ok(['stop', 'web']);
    expect(stopped.stdout).toContain('web had already ended');
    expect(nameAndState(await bed.session('web-2'))).toEqual(['web-2', 'idle']);
    // The file begins with the first byte that is typed.
    expect(existsSync(bytes)).toBe(false);
    expect(bed.truth()).toEqual([]);
  });

  it('creates no session by a name that tmux would read as more than a name', async () => {
    await using bed = await TestBed.open();
    const flags = ['--agent', 'demo', '--role', 'creator', '--json'];
    for (const name of ['w*', 'we?', '[w]eb', '=web', 'web:', '$0', '%0', '.web', 'mam-x', '']) {
      const { code, json } = await bed.mam(['create', name, ...flags]);
      expect([code, json.error.code], name).toEqual([2, 'name.invalid']);
      expect(json.error.message).toContain('letters or digits');
    }
    // What begins with a dash is read as an option, never as a name.
    const dashed = await bed.mam(['create', '-t', ...flags]);
    expect([dashed.code, dashed.json.error.code]).toEqual([2, 'usage.invalid']);
    expect((await bed.ok(['status', '--json'])).json.sessions).toEqual([]);
  });

  it('matches nothing but itself by a pattern that stands in the registry', async () => {
    await using bed = await TestBed.open();
    await bed.create('web');
    const web = await bed.session('web');
    withDatabase(bed, (db) => {
      const { data } = db.prepare('SELECT data FROM sessions').get() as { data: string };
      const row = {
        ...JSON.parse(data),
        id: 'ses_PATTERN',
        name: 'w*',
        conversation_id: null,
        launch: '01PATTERN',
        agent_process: null,
        pane: null,
        tmux: { socket: web.tmux.socket, session_id: '$77', pane_id: '%77', session_name: 'w*' },
      };
      const insert = 'INSERT INTO sessions (id, name_key, status, data) VALUES (?, ?, ?, ?)';
      db.prepare(insert).run(row.id, 'w*', 'running', JSON.stringify(row));
    });
    mkdirSync(join(bed.cwd, '.mam/run/01PATTERN'));

    expect(nameAndState(await bed.session('w*'))).toEqual(['w*', 'lost']);
    expect((await bed.mam(['send', 'w*', 'hi'])).code).toBe(4);
    expect((await bed.mam(['capture', 'w*'])).code).toBe(4);
    expect((await bed.mam(['attach', 'w*'])).code).toBe(4);
    const stopped = await bed.ok(['stop', 'w*', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ name: 'w*', was_running: false });
    expect((await bed.mam(['status', 'we*'])).code).toBe(3);
    expect((await bed.mam(['stop', '*'])).code).toBe(3);
    expect(await bed.session('web')).toMatchObject({
      agent_pid: web.agent_pid,
      activity: { state: 'idle' },
    });
    expect(bed.truth()).toEqual([]);
  });
});

function nameAndState({ name, activity }: SessionSeen): [string, string] {
  return [name, activity.state];
}
