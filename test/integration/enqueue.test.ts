import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import type { Session } from '../../src/domain/session.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { enqueue } from '../../src/services/fleet/delivery/enqueue.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn } from '../support/fleet-context.ts';

const TEXT = 'hello';
const session = exampleSession('api');
let root = '';
let registry: SqliteRegistry;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-q-'));
  mkdirSync(join(root, '.mam/run'), { recursive: true });
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
});

afterEach(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a delivery that is enqueued', () => {
  it('makes the launch folder again that somebody removed', () => {
    registry.update((tx) => tx.putSession(session));
    const delivery = enqueueFor(session);
    expect(registry.read((reader) => reader.findDelivery(delivery.id))?.state).toBe('queued');
    const [file = ''] = readdirSync(launchFolder());
    expect(readFileSync(join(launchFolder(), file), 'utf8')).toBe(TEXT);
  });

  it.each<[string, Partial<Session>]>([
    ['was stopped', { status: 'stopped' }],
    ['has ended', { status: 'terminated' }],
    ['runs on another launch', { launch: '01OTHER' }],
  ])('is refused when its session %s meanwhile, and leaves nothing', (_, change) => {
    registry.update((tx) => tx.putSession({ ...session, ...change }));
    expect(() => enqueueFor(session)).toThrow(
      expect.objectContaining({ code: 'session.wrong-state' }),
    );
    expectNothing();
  });

  it('is refused when its session was purged meanwhile, and leaves nothing', () => {
    expect(() => enqueueFor(session)).toThrow(
      expect.objectContaining({ code: 'session.wrong-state' }),
    );
    expectNothing();
  });

  it('leaves what else lies in the folder of a launch that is over', () => {
    registry.update((tx) => tx.putSession({ ...session, status: 'terminated' }));
    mkdirSync(join(launchFolder(), 'spool'), { recursive: true });
    expect(() => enqueueFor(session)).toThrow('is terminated');
    expect(readdirSync(launchFolder())).toEqual(['spool']);
  });

  it.each(['../../../evil', 'a/b', '', '-x', 'mam-1', 'x'.repeat(65), 'a\nb'])(
    'is refused when its id is %j, and leaves nothing',
    (id) => {
      registry.update((tx) => tx.putSession(session));
      expect(() => enqueueFor(session, id)).toThrow(
        expect.objectContaining({ code: 'name.invalid' }),
      );
      expectNothing();
      expect(
        readdirSync(root, { recursive: true }).filter((name) => String(name).includes('evil')),
      ).toEqual([]);
    },
  );

  it('is the same for an id that is written otherwise in Unicode', () => {
    registry.update((tx) => tx.putSession(session));
    expect(enqueueFor(session, 'caf\u00e9').id).toBe(enqueueFor(session, 'cafe\u0301').id);
  });

  it('is the known one, though its session was stopped since', () => {
    registry.update((tx) => tx.putSession(session));
    const { id } = enqueueFor(session, 'd1');
    registry.update((tx) => tx.putSession({ ...session, status: 'stopped' }));
    expect(enqueueFor(session, 'd1').id).toBe(id);
  });
});

function enqueueFor(seen: Session, id?: string) {
  const context = fleetContextIn(root, registry);
  const request = { text: TEXT, ...(id === undefined ? {} : { id }) };
  return enqueue(context, seen, demo.planTyping(TEXT), request);
}

function launchFolder(): string {
  return join(root, '.mam/run', session.launch);
}

function expectNothing(): void {
  expect(registry.read((reader) => reader.deliveries(session.id))).toEqual([]);
  expect(existsSync(launchFolder())).toBe(false);
}
