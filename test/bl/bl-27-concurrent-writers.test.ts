import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readFaceRevision } from '../../src/protocol/yaml-face.ts';
import { faceOf, monitor, untilConnected, withMonitor } from '../support/monitor-seen.ts';
import { firstLine, RegistryBed } from '../support/registry-bed.ts';
import { databasePath } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const names = Array.from({ length: 40 }, (_, i) => `s${String(i + 1).padStart(2, '0')}`);
const removed = names.slice(0, 5);
const stopped = names.slice(5, 10);
/** What 40 adders, 5 removers and 5 stoppers leave, in whatever order they came. */
const expected = Object.fromEntries([
  ...stopped.map((name) => [name, 'stopped']),
  ...names.slice(10).map((name) => [name, 'running']),
]);

async function writeAtOnce(bed: RegistryBed): Promise<void> {
  const results = await Promise.all([
    ...names.map((name) => bed.run('add', name)),
    ...removed.map((name) => bed.run('change', name, 'remove')),
    ...stopped.map((name) => bed.run('change', name)),
    bed.run('observe', '50'),
  ]);
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
}

interface Named {
  readonly name: string;
  readonly status: string;
}

function statuses(sessions: readonly Named[]): Record<string, string> {
  return Object.fromEntries(sessions.map(({ name, status }) => [name, status]));
}

/** What was written beside a file of the workspace and not put in its place. */
function temporaryFiles(bed: TestBed): readonly string[] {
  const files = readdirSync(join(bed.cwd, '.mam'), { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /\.(new|tmp)$|monitor\.json\.|edited/.test(name));
}

describe('BL-27 concurrent writers lose each other’s entries', () => {
  it('keeps every entry of 40 adders while 10 change or remove and an observer rewrites all', async () => {
    using bed = new RegistryBed();
    bed.open().close();
    await writeAtOnce(bed);
    const registry = bed.open();
    const sessions = registry.read((reader) => reader.sessions());
    registry.close();
    expect(statuses(sessions)).toEqual(expected);
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

  it('loses nothing while the monitor writes as well, and the face it writes agrees', async () => {
    await using bed = await TestBed.open();
    const crashing = ['c1', 'c2', 'c3', 'c4'];
    for (const name of [...crashing, 'lives']) await bed.create(name);
    const { json } = await bed.ok(['status', '--json']);
    const pids = new Map(json.sessions.map(({ name, agent_pid }) => [name, agent_pid]));
    using writers = new RegistryBed(databasePath(bed));
    await withMonitor(bed, async () => {
      await untilConnected(bed);
      const writing = writeAtOnce(writers);
      // What the monitor writes: each end as it comes, and the face after every change of anybody.
      for (const name of crashing) {
        process.kill(pids.get(name) ?? 0, 'SIGKILL');
        await until(`${name} is marked`, async () => {
          return (await bed.session(name)).status === 'terminated';
        });
      }
      await writing;
      const registry = writers.open();
      const read = () =>
        registry.read((reader) => ({ revision: reader.revision(), sessions: reader.sessions() }));
      const face = await until('the face is up to the registry', () => {
        const text = faceOf(bed);
        return readFaceRevision(text) === read().revision && text;
      });
      const { sessions } = read();
      registry.close();
      const all = {
        ...expected,
        ...Object.fromEntries(crashing.map((name) => [name, 'terminated'])),
        lives: 'running',
      };
      expect(statuses(sessions)).toEqual(all);
      expect(statuses(Object.values<Named>(parse(face).sessions))).toEqual(all);
      const ended = sessions.filter(({ name }) => crashing.includes(name));
      expect(ended.map((each) => each.ended?.by)).toEqual(crashing.map(() => 'monitor'));
      expect((await monitor(bed, 'status')).errors).toEqual([]);
      await bed.ok(['send', 'lives', 'hello', '--wait', 'answered']);
    });
    expect(temporaryFiles(bed)).toEqual([]);
    await bed.ok(['stop', 'lives']);
  });

  it('registers 12 parallel creates; YAML and database agree and no temporary file remains', async () => {
    await using bed = await TestBed.open();
    const parallel = Array.from({ length: 12 }, (_, i) => `p${i + 1}`);
    const create = (name: string) =>
      bed.mam(['create', name, '--agent', 'demo', '--role', 'worker', '--json']);
    const results = await Promise.all(parallel.map(create));
    expect(results.map(({ code }) => code)).toEqual(parallel.map(() => 0));
    const { json } = await bed.ok(['status', '--json']);
    const inDatabase = json.sessions.map((session: { name: string }) => session.name).sort();
    expect(inDatabase).toEqual([...parallel].sort());
    const face = parse(readFileSync(join(bed.cwd, '.mam', 'agent-sessions.yaml'), 'utf8'));
    const inFace = Object.values<{ name: string; status: string }>(face.sessions);
    expect(inFace.map(({ name }) => name).sort()).toEqual(inDatabase);
    expect(temporaryFiles(bed)).toEqual([]);
  });
});
