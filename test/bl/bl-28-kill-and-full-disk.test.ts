import { chmodSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { connect, pragma } from '../../src/drivers/sqlite/connect.ts';
import { readFaceRevision } from '../../src/protocol/yaml-face.ts';
import type { SessionSeen } from '../support/command-json.ts';
import { exampleSession } from '../support/example-session.ts';
import { faceOf, findingsOf, monitor, untilLooked, withMonitor } from '../support/monitor-seen.ts';
import { firstLine, RegistryBed } from '../support/registry-bed.ts';
import { loseRegistry, putRegistryBack, withDatabase } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const KILLS = 200;

const create = (name: string) => ['create', name, '--agent', 'demo', '--role', 'worker', '--json'];

describe('BL-28 power loss, kill or full disk in the middle of a save', () => {
  it(`loses no acknowledged save in ${KILLS} kills at random moments`, async () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    registry.update((tx) => tx.putSession(exampleSession('counter', { lastScreen: '0' })));
    registry.close();
    let acknowledged = 0;
    for (let round = 0; round < KILLS; round++) {
      const worker = bed.start('forever');
      worker.stdout?.on('data', (chunk: Buffer) => {
        const lines = chunk.toString().split('\n');
        acknowledged = Math.max(acknowledged, ...lines.filter(Boolean).map(Number));
      });
      await firstLine(worker);
      // A few commits later, somewhere inside the next one.
      await new Promise((resolve) => setImmediate(resolve));
      const ended = new Promise((resolve) => worker.once('close', resolve));
      worker.kill('SIGKILL');
      await ended;
    }
    const db = connect(bed.path);
    expect(pragma(db, 'integrity_check')).toBe('ok');
    db.close();
    const after = bed.open();
    const counter = after.read((reader) => reader.findSession('counter'));
    after.close();
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS);
    expect(Number(counter?.lastScreen)).toBeGreaterThanOrEqual(acknowledged);
  });

  const points = [
    ...['registry.C1', 'registry.C2', 'registry.C3', 'registry.C4'],
    ...['face.W1', 'face.W2', 'face.W3', 'face.W4', 'face.W5', 'face.W6', 'face.W7'],
  ];
  it.each(points)('goes on after a kill at %s: old or new, never broken', async (point) => {
    await using bed = await TestBed.open();
    await bed.create('before');
    const killed = await bed.mam(create('during'), { crashAt: point });
    expect(killed.signal).toBe('SIGKILL');

    const seen = await bed.ok(['status', '--json']);
    const names = seen.json.sessions.map((session: { name: string }) => session.name);
    // A kill while the face is written comes after the acknowledgement.
    expect(names).toEqual(point.startsWith('face') ? ['before', 'during'] : ['before']);

    await bed.ok(create('after'));
    const folder = join(bed.cwd, '.mam');
    const face = readFileSync(join(folder, 'agent-sessions.yaml'), 'utf8');
    expect(readFaceRevision(face)).toBeGreaterThan(0);
    const inFace = Object.values<{ name: string }>(parse(face).sessions).map(({ name }) => name);
    const { json } = await bed.ok(['status', '--json']);
    expect(inFace).toEqual(json.sessions.map((session: { name: string }) => session.name));
    const left = readdirSync(folder).filter((name) => /\.(new|tmp)$|edited/.test(name));
    expect(left).toEqual([]);
  });

  it.each([0, 4_096, 30_000, 70_000])(
    'names file and reason when no file may grow beyond %i bytes, and loses nothing',
    async (limit) => {
      await using bed = await TestBed.open();
      await bed.create('before');
      const result = await bed.mam(create('during'), { wrap: ['prlimit', `--fsize=${limit}`] });
      expect(result.code).toBe(10);
      expect(result.json.error.code).toBe('registry.unwritable');
      expect(result.json.error.message).toMatch(/\/\S+/);
      const db = connect(join(bed.cwd, '.mam', 'agent-sessions.db'), { readonly: true });
      expect(pragma(db, 'integrity_check')).toBe('ok');
      db.close();
      await bed.ok(['send', 'before', 'still there?', '--json']);
      await bed.ok(create('after'));
      const { json } = await bed.ok(['status', '--json']);
      const names = json.sessions.map((session: { name: string }) => session.name);
      expect(names).toEqual(['before', 'after']);
    },
  );

  it.each([110_000, 150_000, 180_000])(
    'says that the session runs when no file may grow beyond %i bytes, and how to end it',
    async (limit) => {
      await using bed = await TestBed.open();
      await bed.create('before');
      const wrap = ['prlimit', `--fsize=${limit}`];
      const { code, json } = await bed.mam([...create('during'), '--prompt', 'hello'], { wrap });
      // Not one of these is enough for all of a create.
      expect([code, json.error.code]).toEqual([10, 'registry.unwritable']);
      const { sessions } = (await bed.ok(['status', '--json'])).json;
      const during = sessions.find(({ name }) => name === 'during');
      const isSaid = /"during" was started, and runs: mam stop during ends it/.test(
        json.error.message,
      );
      expect([during?.status, isSaid]).toEqual(['running', true]);
      await bed.ok(['stop', 'during']);
      await bed.ok(create('after'));
      const left = bed.processes().filter(({ command }) => command.includes('-n during'));
      expect(left).toEqual([]);
    },
  );

  it('ends with the folder’s name when it is read-only, and status answers from the face', async () => {
    const bed = await TestBed.open();
    await using _ = bed;
    await bed.create('before');
    await bed.ok(['stop', 'before']);
    bed.giveToUser();
    const folder = join(bed.cwd, '.mam');
    chmodSync(folder, 0o500);
    const result = await bed.mam(create('during'), { asUser: true });
    expect([result.code, result.json.error.code]).toEqual([10, 'registry.unwritable']);
    expect(result.json.error.message).toContain(folder);
    const status = await bed.mam(['status', '--json'], { asUser: true });
    const names = status.json.sessions.map((session: { name: string }) => session.name);
    expect(names).toEqual(['before']);
    chmodSync(folder, 0o700);
  });

  it('shows the last good face, and says so, when the database is damaged', async () => {
    await using bed = await TestBed.open();
    await bed.create('before');
    await bed.ok(['stop', 'before']);
    const database = join(bed.cwd, '.mam', 'agent-sessions.db');
    writeFileSync(database, Buffer.alloc(8_192, 0x5a));
    const status = await bed.mam(['status', '--json']);
    expect(status.code).toBe(10);
    expect(status.json.registry.degraded).toBe(true);
    const names = status.json.sessions.map((session: { name: string }) => session.name);
    expect(names).toEqual(['before']);
    expect(status.stderr).toContain('may be missing');
    const refused = await bed.mam(create('during'));
    expect([refused.code, refused.json.error.code]).toEqual([10, 'registry.damaged']);
    expect(readFileSync(database).equals(Buffer.alloc(8_192, 0x5a))).toBe(true);
  });

  it('names file, line and what to do when the face is damaged as well', async () => {
    await using bed = await TestBed.open();
    await bed.create('before');
    await bed.ok(['stop', 'before']);
    const database = join(bed.cwd, '.mam', 'agent-sessions.db');
    const face = join(bed.cwd, '.mam', 'agent-sessions.yaml');
    writeFileSync(database, Buffer.alloc(8_192, 0x5a));
    const good = readFileSync(face, 'utf8');

    writeFileSync(face, good.replace('sessions:', 'sessions: ]'));
    const fallback = await bed.mam(['status', '--json']);
    expect(fallback.code).toBe(10);
    expect(fallback.json.sessions).toMatchObject([{ name: 'before' }]);
    expect(fallback.stderr).toContain(`${face}:3:`);
    expect(fallback.stderr).toContain(`${face}.bak`);

    writeFileSync(`${face}.bak`, 'sessions: 7\n');
    const refused = await bed.mam(['status', '--json']);
    expect([refused.code, refused.json.error.code]).toEqual([10, 'registry.damaged']);
    for (const name of [database, `${face}:3:`, `${face}.bak:1:`]) {
      expect(refused.json.error.message).toContain(name);
    }
    expect(refused.json.error.hint).toMatch(/mend|put back/i);

    writeFileSync(face, good.replace('role: creator', 'role: [creator]'));
    const without = await bed.mam(['status', '--json']);
    expect([without.code, without.json.sessions]).toEqual([10, []]);
    expect(without.stderr).toMatch(/demo-creator-before.*line 4.*role/);
  });

  it('calls a file that cannot be read unreadable, not unwritable', async () => {
    await using bed = new TestBed();
    bed.giveToUser();
    const options = { asUser: true };
    await bed.ok(['init'], options);
    await bed.ok(create('before'), options);
    await bed.ok(['stop', 'before'], options);
    for (const name of ['workspace.json', 'agent-sessions.db']) {
      const path = join(bed.cwd, '.mam', name);
      rmSync(join(bed.cwd, '.mam', 'agent-sessions.yaml'), { force: true });
      rmSync(join(bed.cwd, '.mam', 'agent-sessions.yaml.bak'), { force: true });
      chmodSync(path, 0);
      const { code, json } = await bed.mam(['status', '--json'], options);
      expect([name, code, json.error.code]).toEqual([
        name,
        10,
        expect.stringMatching(/unreadable/),
      ]);
      expect(json.error.message).toMatch(/^Could not read /);
      expect(json.error.message).toContain(path);
      chmodSync(path, 0o600);
    }
  });

  it('does not begin from nothing when the database is gone or cut to nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('before');
    await bed.ok(['stop', 'before']);
    truncateSync(join(bed.cwd, '.mam', 'agent-sessions.db'), 0);
    const refused = await bed.mam(create('during'));
    expect([refused.code, refused.json.error.code]).toEqual([10, 'registry.damaged']);
    const status = await bed.mam(['status', '--json']);
    expect(status.code).toBe(10);
    expect(status.json.sessions.map((session: { name: string }) => session.name)).toEqual([
      'before',
    ]);
  });

  it('gets its sessions back by their tags when a monitor starts on a registry that was lost', async () => {
    await using bed = await TestBed.open();
    const names = ['a', '日本-2.x', 'c'];
    for (const name of names) {
      await bed.create(name);
      await bed.ok(['send', name, `the word of ${name}`, '--wait', 'answered']);
    }
    const before = await identities(bed);
    loseRegistry(bed);
    await withMonitor(bed, async () => {
      await until('all are adopted', async () => (await list(bed)).length === names.length);
      expect(await identities(bed)).toEqual(before);
      expect(findingsOf(bed).filter((finding) => !/^B .* \[/.test(finding))).toEqual([]);
      // They are ours again: what is said is proven, and an end is noticed.
      await bed.ok(['send', 'a', 'hello', '--wait', 'answered']);
      process.kill((await bed.session('c')).agent_pid, 'SIGKILL');
      await until('its end is marked', async () => {
        return (await bed.session('c')).status === 'terminated';
      });
    });
    const said = [...names.map((name) => `the word of ${name}`), 'hello'];
    expect(bed.truth().map(({ text }) => text)).toEqual(said);
    await bed.ok(['stop', '--all']);
  });

  it('is followed by a running monitor when another registry takes its place', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b']) await bed.create(name);
    const before = await identities(bed);
    await withMonitor(bed, async (pid) => {
      loseRegistry(bed);
      // Who comes next begins anew.
      await bed.create('c');
      await until('the others are adopted', async () => (await list(bed)).length === 3);
      const now = (await identities(bed)).filter(({ name }) => name !== 'c');
      expect(now).toEqual(before);
      for (const name of ['a', 'c']) process.kill((await bed.session(name)).agent_pid, 'SIGKILL');
      await until('their ends are marked', async () => {
        const ended = (await list(bed)).filter(({ status }) => status === 'terminated');
        return (
          ended
            .map(({ name }) => name)
            .sort()
            .join(' ') === 'a c'
        );
      });
      await until('the face is of this registry', () => {
        const inFace = Object.values<{ name: string; status: string }>(
          parse(faceOf(bed))?.sessions ?? {},
        );
        const lines = inFace.map(({ name, status }) => `${name} ${status}`).sort();
        return lines.join(', ') === 'a terminated, b running, c terminated';
      });
      expect((await monitor(bed, 'status')).pid).toBe(pid);
      await bed.ok(['send', 'b', 'hello', '--wait', 'answered']);
    });
    await bed.ok(['stop', '--all']);
  });

  it('gets back those that an older registry does not know, and leaves the others as they are', async () => {
    await using bed = await TestBed.open();
    await bed.create('old');
    const copy = join(bed.root, 'older');
    withDatabase(bed, (db) => db.prepare('VACUUM INTO ?').run(copy));
    for (const name of ['new1', 'new2']) await bed.create(name);
    const before = await identities(bed);
    const { id: oldId } = await bed.session('old');
    putRegistryBack(bed, copy);
    expect((await list(bed)).map(({ name }) => name)).toEqual(['old']);
    await withMonitor(bed, async () => {
      await until('the others are adopted', async () => (await list(bed)).length === 3);
      expect(await identities(bed)).toEqual(before);
      await untilLooked(bed);
      expect((await list(bed)).map(({ status }) => status)).toEqual(before.map(() => 'running'));
      expect((await bed.session('old')).id).toBe(oldId);
      expect(findingsOf(bed).filter((finding) => finding.includes(' old:'))).toEqual([]);
      await bed.ok(['stop', '--all']);
    });
  });
});

async function list(bed: TestBed): Promise<readonly SessionSeen[]> {
  return (await bed.ok(['status', '--json'])).json.sessions;
}

/** Which session is which, by everything that its tags and its launch folder tell. */
async function identities(bed: TestBed) {
  const found = await list(bed);
  return found
    .map(({ id, launch, name, agent, role, agent_pid }) => ({
      ...{ id, launch, name, agent, role, agent_pid },
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
