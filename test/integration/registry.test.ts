import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Launch } from '../../src/domain/launch.ts';
import type { Session } from '../../src/domain/session.ts';
import { connect, pragma } from '../../src/drivers/sqlite/connect.ts';
import { openForReading, openForWriting } from '../../src/drivers/sqlite/open.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { migrations } from '../../src/drivers/sqlite/schema.ts';
import { exampleSession } from '../support/example-session.ts';

let folder = '';
let path = '';
let registry: SqliteRegistry;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mam-reg-'));
  path = join(folder, 'agent-sessions.db');
  registry = SqliteRegistry.open({ path });
});

afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (session: Session) => registry.update((tx) => tx.putSession(session));
const found = (name: string) => registry.read((reader) => reader.findSession(name));

describe('updateRegistry', () => {
  it('counts revisions, one a commit', () => {
    const before = registry.read((reader) => reader.revision());
    put(exampleSession('a'));
    put(exampleSession('b'));
    expect(registry.read((reader) => reader.revision())).toBe(before + 2);
  });

  it('keeps nothing of an update that throws, however late', () => {
    expect(() =>
      registry.update((tx) => {
        tx.putSession(exampleSession('a'));
        throw new Error('late');
      }),
    ).toThrow('late');
    expect(found('a')).toBeUndefined();
  });

  it('gives back exactly what was stored', () => {
    const session = exampleSession('日本', { lastScreen: 'x\n\u2028"\\', envNames: ['MY_KEY'] });
    put(session);
    expect(found('日本')).toEqual(session);
  });

  it('refuses a record that is not valid, and names the field', () => {
    const broken = { ...exampleSession('a'), cwd: 'relative' };
    expect(() => put(broken)).toThrow(
      expect.objectContaining({ code: 'internal.bug', message: expect.stringContaining('cwd') }),
    );
  });

  it('refuses another role', () => {
    const session = exampleSession('a');
    put(session);
    expect(() => put({ ...session, role: 'reviewer' })).toThrow(
      expect.objectContaining({ code: 'role.immutable' }),
    );
    expect(found('a')?.role).toBe('creator');
  });

  it('refuses a second session of the same name, as tmux and case folding see it', () => {
    put(exampleSession('a.b'));
    for (const name of ['a.b', 'A_B']) {
      expect(() => put(exampleSession(name))).toThrow(
        expect.objectContaining({ code: 'name.taken', message: expect.stringContaining('a.b') }),
      );
    }
  });

  it('gives a conversation to one session only, its earlier ids included', () => {
    const owner = exampleSession('a', { conversationId: 'c2', conversationHistory: ['c1'] });
    put(owner);
    for (const conversationId of ['c1', 'c2']) {
      expect(() => put(exampleSession('b', { conversationId }))).toThrow(
        expect.objectContaining({ code: 'conversation.claimed' }),
      );
    }
    put(exampleSession('other-agent', { agent: 'claude', conversationId: 'c1' }));
    put({ ...owner, conversationId: 'c3', conversationHistory: ['c2'] });
    put(exampleSession('b', { conversationId: 'c1' }));
  });
});

describe('a reserved launch', () => {
  const launch = (name: string, change: Partial<Launch> = {}): Launch => {
    const session = exampleSession(name);
    return {
      ...{ id: session.launch, sessionId: session.id, kind: 'create', state: 'reserved', session },
      owner: { host: 'h', boot: 'b', pidNamespace: 'n', pid: 1, startTicks: '1' },
      ...{
        deadlineMs: 0,
        paneId: null,
        panePid: null,
        recorder: null,
        lastNumber: 0,
        endedAt: null,
      },
      ...change,
    };
  };

  it('alone holds its name', () => {
    registry.update((tx) => tx.putLaunch(launch('api')));
    expect(() => registry.update((tx) => tx.putLaunch(launch('API')))).toThrow(
      expect.objectContaining({ code: 'name.taken' }),
    );
  });

  it('frees the name when it has become something else', () => {
    const first = launch('api');
    registry.update((tx) => tx.putLaunch(first));
    registry.update((tx) => tx.putLaunch({ ...first, state: 'ended' }));
    registry.update((tx) => tx.putLaunch(launch('api')));
    expect(registry.read((reader) => reader.openLaunches())).toHaveLength(1);
  });
});

describe('hook events', () => {
  it('are inserted once, whoever drains them', () => {
    const event = { name: '1.2.Stop', atMs: 5, fact: { kind: 'turn-ended', answer: 'x' } } as const;
    const insert = () => registry.update((tx) => tx.addHookEvent('L', event));
    expect([insert(), insert()]).toEqual([true, false]);
    expect(registry.read((reader) => reader.hookEvents('L'))).toEqual([event]);
  });
});

describe('hook events of many launches', () => {
  const noted = (name: string, atMs: number) =>
    ({ name, atMs, fact: { kind: 'turn-ended' } }) as const;

  it('are read at once, each in order', () => {
    registry.update((tx) => {
      tx.addHookEvent('L', noted('1.1.Stop', 7));
      tx.addHookEvent('L', noted('2.1.Stop', 5));
      tx.addHookEvent('L', noted('0.1.Stop', 7));
      tx.addHookEvent('M', noted('1.1.Stop', 1));
      tx.addHookEvent('N', noted('1.1.Stop', 1));
    });
    const names = (newest?: number) =>
      registry.read((reader) =>
        [...reader.hookEventsOf(['L', 'M', 'empty'], newest)].map(([launch, events]) => [
          launch,
          events.map(({ name }) => name),
        ]),
      );
    expect(names()).toEqual([
      ['L', ['2.1.Stop', '0.1.Stop', '1.1.Stop']],
      ['M', ['1.1.Stop']],
      ['empty', []],
    ]);
    expect(names(2)[0]).toEqual(['L', ['0.1.Stop', '1.1.Stop']]);
  });
});

describe('the file', () => {
  it('is readable by its owner only', () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('uses WAL on a local file system, and a rollback journal where it is not known to be safe', () => {
    expect(registry.mode).toBe('wal');
    const warnings: string[] = [];
    const elsewhere = SqliteRegistry.open({
      path: join(folder, 'nfs.db'),
      walSafe: false,
      onWarning: (message) => warnings.push(message),
    });
    elsewhere.update((tx) => tx.putSession(exampleSession('a')));
    expect(elsewhere.mode).toBe('delete');
    expect(warnings).toEqual([expect.stringContaining('nfs.db')]);
    elsewhere.close();
  });

  it('migrates in one transaction, and keeps a copy of what it was', () => {
    put(exampleSession('kept'));
    registry.close();
    const steps = [...migrations, "INSERT INTO meta VALUES ('migrated', 'yes')"];
    openForWriting({ path, steps }).close();
    const copy = connect(`${path}.v${migrations.length}.bak`, { readonly: true });
    expect(pragma(copy, 'user_version')).toBe(migrations.length);
    expect(copy.prepare('SELECT count(*) AS n FROM sessions').get()).toEqual({ n: 1 });
    copy.close();
    const db = connect(path);
    expect(pragma(db, 'user_version')).toBe(steps.length);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.close();
    registry = SqliteRegistry.open({ path });
    expect(found('kept')?.name).toBe('kept');
  });

  it('is as it was when a migration fails half-way', () => {
    put(exampleSession('kept'));
    registry.close();
    const steps = [...migrations, "INSERT INTO meta VALUES ('half', 'yes'); SELECT nonsense"];
    expect(() => openForWriting({ path, steps })).toThrow('nonsense');
    registry = SqliteRegistry.open({ path });
    expect(found('kept')?.name).toBe('kept');
    const db = connect(path, { readonly: true });
    expect(db.prepare("SELECT value FROM meta WHERE key = 'half'").get()).toBeUndefined();
    db.close();
  });

  it('of a newer mam is refused and left alone', () => {
    registry.close();
    const db = connect(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    const before = readFileSync(path);
    for (const open of [() => openForReading(path), () => openForWriting({ path })]) {
      expect(open).toThrow(
        expect.objectContaining({
          code: 'registry.damaged',
          message: expect.stringContaining('newer'),
        }),
      );
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    const undo = connect(path);
    undo.exec(`PRAGMA user_version = ${migrations.length}`);
    undo.close();
    registry = SqliteRegistry.open({ path });
  });

  it('is not made by a reader', () => {
    const missing = join(folder, 'none.db');
    expect(openForReading(missing)).toBeUndefined();
    expect(existsSync(missing)).toBe(false);
  });
});
