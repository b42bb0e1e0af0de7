import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../support/registry-sql.ts';
import { finished, TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const config = (bed: TestBed, lines: string) =>
  appendFileSync(join(bed.cwd, '.mam/config.yaml'), lines);

/** A workspace whose tmux is gone as soon as it was asked for something that matches `pattern`. */
async function withVanishingTmux(pattern: string): Promise<TestBed> {
  const bed = await TestBed.open();
  const folder = join(bed.root, 'shim');
  const before = `case " $* " in ${pattern}) chmod 000 '${join(folder, 'tmux')}' ;; esac`;
  config(bed, `tmux:\n  path: ${makeTmuxShim(folder, { before }).program}\n`);
  return bed;
}

describe('what fails after a command has done its work', () => {
  it('is a warning beside the report of a stop', async () => {
    await using bed = await withVanishingTmux('*kill-session*');
    await bed.create('a1');
    const { code, json, stderr } = await bed.mam(['stop', 'a1', '--json']);
    expect(json?.sessions, stderr).toMatchObject([
      { name: 'a1', status: 'stopped', was_running: true, survivors: [] },
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('tmux');
  });

  it('is a warning beside a session that was made', async () => {
    await using bed = await withVanishingTmux('*new-session*');
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--no-wait', '--json'];
    const { code, json, stderr } = await bed.mam(create);
    expect(json?.session, stderr).toMatchObject({ name: 'a1', status: 'running' });
    expect(code).toBe(0);
    expect(stderr).toContain('tmux');
  });

  it('is a warning beside the reason why a start failed', async () => {
    await using bed = await TestBed.open();
    const folder = join(bed.root, 'shim');
    const before = 'case " $* " in *kill-session*) echo "it will not" >&2; exit 1 ;; esac';
    config(bed, `tmux:\n  path: ${makeTmuxShim(folder, { before }).program}\n`);
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--json'];
    const { code, json, stderr } = await bed.mam([...create, '--', '--crash-on-start', '3']);
    expect([code, json.error.code, json.error.details.exit_code]).toEqual([
      ...[5, 'agent.start-failed', 3],
    ]);
    expect(stderr).toContain('it will not');
    expect((await bed.session('a1')).status).toBe('terminated');
  });

  it('does not hide that a dialog was answered', async () => {
    await using bed = await TestBed.open();
    config(bed, 'create:\n  trust: ask\n');
    const agent = ['--', '--dialog', 'trust', '--boot-until', join(bed.root, 'never')];
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--prompt', 'hello'];
    expect((await bed.mam([...create, ...agent])).code).toBe(5);
    const answering = bed.start(['answer', 'a1', 'yes', '--json']);
    const ended = finished(answering);
    await until('it is answered, and goes on with what waits', () =>
      withDatabase(bed, (db) => {
        return db.prepare("SELECT 1 FROM operations WHERE data ->> 'kind' = 'deliver'").get();
      }),
    );
    answering.kill('SIGINT');
    const { code, json, stderr } = await ended;
    expect([code, json?.answered], stderr).toEqual([0, expect.stringMatching(/^yes/i)]);
    expect(stderr).toContain('was not delivered');
  });
});
