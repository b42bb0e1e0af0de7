import { describe, expect, it } from 'vitest';
import { exampleSession } from '../support/example-session.ts';
import { firstLine, RegistryBed } from '../support/registry-bed.ts';
import { TestBed } from '../support/test-bed.ts';

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
});
