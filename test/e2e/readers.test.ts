import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

/** Bytes and modification times of everything a reader must leave alone. SQLite's own side files may come. */
function picture(bed: TestBed): Record<string, string> {
  const folder = join(bed.cwd, '.mam');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile());
  return Object.fromEntries(
    names.sort().map((name) => {
      const { mtimeNs } = statSync(join(folder, name), { bigint: true });
      return [name, `${mtimeNs} ${readFileSync(join(folder, name)).toString('base64')}`];
    }),
  );
}

describe('status, capture and doctor', () => {
  it('write nothing: database, face, backup, config and spool stay byte for byte, with their times', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['send', 'api', 'hello', '--wait', 'answered']);
    // Events that no command has drained, and a face edited by hand.
    bed.tmux('send-keys', '-t', '%0', 'typed by a person', 'Enter');
    const launch = (await bed.session('api')).launch;
    const spool = join(bed.cwd, '.mam', 'run', launch, 'spool');
    const { until } = await import('../support/until.ts');
    await until('a hook event waits', () =>
      readdirSync(spool).some((name) => name.endsWith('.Stop')),
    );

    const before = picture(bed);
    const status = await bed.ok(['status', '--json']);
    expect(status.json.pending_events).toBeGreaterThan(0);
    await bed.ok(['status', 'api']);
    await bed.ok(['capture', 'api', '--lines', '50']);
    await bed.ok(['doctor']);
    await bed.mam(['status', 'ghost']);
    expect(picture(bed)).toEqual(before);
  });

  it('make no workspace and no registry where there is none', async () => {
    await using bed = new TestBed();
    for (const args of [['status'], ['capture', 'x'], ['doctor']]) await bed.mam(args);
    expect(existsSync(join(bed.home, '.mam'))).toBe(false);
    expect(existsSync(join(bed.cwd, '.mam'))).toBe(false);
  });
});
