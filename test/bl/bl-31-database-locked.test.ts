import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleSession } from '../support/example-session.ts';
import { firstLine, RegistryBed } from '../support/registry-bed.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('BL-31 "database is locked" although a timeout is set', () => {
  it('counts 400 in two processes that read, then write, without one busy error', async () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    registry.update((tx) => tx.putSession(exampleSession('counter', { lastScreen: '0' })));
    const results = await Promise.all([bed.run('count', '200'), bed.run('count', '200')]);
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const counter = registry.read((reader) => reader.findSession('counter'));
    registry.close();
    expect(counter?.lastScreen).toBe('400');
  });

  it('answers status while the write lock is held, and ends create with "busy, try again"', async () => {
    await using bed = await TestBed.open();
    await bed.create('first');
    using locker = new RegistryBed();
    Object.assign(locker, { path: `${bed.cwd}/.mam/agent-sessions.db` });
    const holder = locker.start('hold', '12000');
    expect(await firstLine(holder)).toBe('held');

    const status = await bed.ok(['status', '--json'], { timeoutMs: 5_000 });
    expect(status.json.sessions.map((session: { name: string }) => session.name)).toEqual([
      'first',
    ]);
    expect(holder.exitCode).toBeNull();

    const args = ['create', 'second', '--agent', 'demo', '--role', 'worker'];
    const busy = await bed.mam(args);
    expect(busy.code).toBe(9);
    expect(busy.stderr).toContain("holds the registry's write lock for more than 5 s");
    expect(busy.stderr).toContain('Try again');
    expect(busy.stderr).not.toMatch(/\n\s+at /);
    expect(holder.exitCode).toBeNull();
    holder.kill('SIGKILL');

    await bed.ok(args);
  });

  it('keeps the monitor answering while its registry waits, which does its work afterwards', async () => {
    await using bed = await TestBed.open();
    await bed.create('first');
    await bed.ok(['monitor', 'start']);
    const written = () => stateFile(bed).written_at;
    using locker = new RegistryBed();
    Object.assign(locker, { path: `${bed.cwd}/.mam/agent-sessions.db` });
    const holder = locker.start('hold', '600000');
    expect(await firstLine(holder)).toBe('held');
    process.kill((await bed.session('first')).agent_pid, 'SIGKILL');

    const seen = new Set([written()]);
    await until('it has said three times that it is there', () => seen.add(written()).size > 3);
    expect(holder.exitCode).toBeNull();
    expect((await bed.session('first')).status).toBe('running');

    holder.kill('SIGKILL');
    await until('it is marked', async () => (await bed.session('first')).status === 'terminated');
    await bed.ok(['monitor', 'stop']);
  });
});

/** What the monitor says of itself. */
function stateFile(bed: TestBed): { readonly written_at: string } {
  const run = join(bed.cwd, '.mam/run');
  const host = readdirSync(run).find((name) => existsSync(join(run, name, 'monitor.json')));
  return JSON.parse(readFileSync(join(run, host ?? '', 'monitor.json'), 'utf8'));
}
