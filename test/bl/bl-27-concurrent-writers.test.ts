import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { firstLine, RegistryBed } from '../support/registry-bed.ts';
import { TestBed } from '../support/test-bed.ts';

describe('BL-27 concurrent writers lose each other’s entries', () => {
  it('keeps every entry of 40 adders while 10 change or remove and an observer rewrites all', async () => {
    using bed = new RegistryBed();
    bed.open().close();
    const names = Array.from({ length: 40 }, (_, i) => `s${String(i + 1).padStart(2, '0')}`);
    const removed = names.slice(0, 5);
    const stopped = names.slice(5, 10);
    const results = await Promise.all([
      ...names.map((name) => bed.run('add', name)),
      ...removed.map((name) => bed.run('change', name, 'remove')),
      ...stopped.map((name) => bed.run('change', name)),
      bed.run('observe', '50'),
    ]);
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
    const registry = bed.open();
    const sessions = registry.read((reader) => reader.sessions());
    registry.close();
    expect(sessions.map(({ name }) => name).sort()).toEqual(names.slice(5));
    const inState = (status: string) =>
      sessions
        .filter((session) => session.status === status)
        .map(({ name }) => name)
        .sort();
    expect(inState('stopped')).toEqual(stopped);
    expect(inState('running')).toEqual(names.slice(10));
  });

  it('frees the write lock of a killed process at once', async () => {
    using bed = new RegistryBed();
    bed.open().close();
    const holder = bed.start('hold', '60000');
    expect(await firstLine(holder)).toBe('held');
    holder.kill('SIGKILL');
    const { code, stdout } = await bed.run('add', 'after');
    expect([code, stdout]).toEqual([0, 'added after\n']);
  });

  it('registers 12 parallel creates; YAML and database agree and no temporary file remains', async () => {
    await using bed = await TestBed.open();
    const names = Array.from({ length: 12 }, (_, i) => `p${i + 1}`);
    const create = (name: string) =>
      bed.mam(['create', name, '--agent', 'demo', '--role', 'worker', '--json']);
    const results = await Promise.all(names.map(create));
    expect(results.map(({ code }) => code)).toEqual(names.map(() => 0));
    const { json } = await bed.ok(['status', '--json']);
    const inDatabase = json.sessions.map((session: { name: string }) => session.name).sort();
    expect(inDatabase).toEqual([...names].sort());
    const face = parse(readFileSync(join(bed.cwd, '.mam', 'agent-sessions.yaml'), 'utf8'));
    const inFace = Object.values<{ name: string; status: string }>(face.sessions);
    expect(inFace.map(({ name }) => name).sort()).toEqual(inDatabase);
    const left = readdirSync(join(bed.cwd, '.mam')).filter((name) =>
      /\.(new|tmp)$|edited/.test(name),
    );
    expect(left).toEqual([]);
  });
});
