import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationKind } from '../../src/domain/launch.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { connect } from '../../src/drivers/sqlite/connect.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import {
  beginOperation,
  forgetOwnOperations,
  heldOperation,
  isOperationHeld,
} from '../../src/services/fleet/operations.ts';
import { exampleSession } from '../support/example-session.ts';

const session = exampleSession('api');
let folder = '';
let registry: SqliteRegistry;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mam-op-'));
  registry = SqliteRegistry.open({ path: join(folder, 'agent-sessions.db') });
  registry.update((tx) => tx.putSession(session));
});

afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A context whose process is another one, alive or dead in everybody's eyes. */
function contextOf(pid: number, alive: readonly number[], change: Partial<Owner> = {}) {
  const self: Owner = { ...openProcessTable().self, pid, startTicks: String(pid), ...change };
  const processes = {
    ...openProcessTable(),
    self,
    isAlive: (p: { pid: number }) => alive.includes(p.pid),
  };
  return { registry, clock: systemClock, processes };
}

const begin = (pid: number, kind: OperationKind, alive: readonly number[] = [1, 2]) =>
  beginOperation(contextOf(pid, alive), session, kind);

describe('one operation per session', () => {
  it.each(['create', 'resume', 'stop', 'deliver', 'answer', 'purge'] as const)(
    'refuses another while a living process is at "%s", and names it',
    (held) => {
      begin(1, held);
      for (const wanted of ['resume', 'deliver', 'answer', 'purge'] as const) {
        expect(() => begin(2, wanted)).toThrow(
          expect.objectContaining({
            code: 'session.busy',
            message: expect.stringMatching(`process 1 is at "${held}"`),
          }),
        );
      }
    },
  );

  it('lets stop take over from a delivery, and from nothing else that lives', () => {
    for (const held of ['create', 'resume', 'answer', 'purge', 'stop'] as const) {
      const operation = begin(1, held);
      expect(() => begin(2, 'stop')).toThrow(expect.objectContaining({ code: 'session.busy' }));
      operation.end();
    }
    const delivery = begin(1, 'deliver');
    begin(2, 'stop');
    expect(() => delivery.update((tx) => tx.revision())).toThrow(
      expect.objectContaining({ code: 'session.busy', message: expect.stringContaining('stop') }),
    );
  });

  it('takes over from a dead process; what that one still tries to write fails', () => {
    const dead = begin(1, 'create');
    const next = begin(2, 'resume', [2]);
    expect(next.fence).toBe(dead.fence + 1);
    expect(() => dead.update((tx) => tx.putSession({ ...session, lastScreen: 'late' }))).toThrow(
      expect.objectContaining({ code: 'session.busy' }),
    );
    dead.end();
    next.update((tx) => tx.putSession({ ...session, lastScreen: 'mine' }));
    expect(registry.read((reader) => reader.findSession('api'))?.lastScreen).toBe('mine');
  });

  it('never gives a fence again, in no session', () => {
    const other = exampleSession('other');
    registry.update((tx) => tx.putSession(other));
    const fences = [session, other, session, other].map((each) => {
      const operation = beginOperation(contextOf(1, [1]), each, 'answer');
      operation.end();
      return operation.fence;
    });
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it('does not take what its process begins later for the one that was taken over', () => {
    const first = begin(1, 'deliver');
    begin(2, 'stop').end();
    const second = begin(1, 'deliver');
    expect(() => first.update((tx) => tx.revision())).toThrow(
      expect.objectContaining({ code: 'session.busy' }),
    );
    first.end();
    second.update((tx) => tx.putSession({ ...session, lastScreen: 'mine' }));
    expect(registry.read((reader) => reader.findSession('api'))?.lastScreen).toBe('mine');
  });

  it.each<[string, Partial<Owner>]>([
    ['start time', { startTicks: '2' }],
    ['boot', { boot: 'another' }],
    ['pid namespace', { pidNamespace: 'another' }],
    ['host', { host: 'another' }],
  ])('is not held by a process of the same pid and another %s', (_, change) => {
    const { fence } = begin(1, 'deliver');
    const stranger = heldOperation(contextOf(1, [1], change), session.id, session.name, fence);
    expect(() => stranger.update((tx) => tx.revision())).toThrow(
      expect.objectContaining({ code: 'session.busy' }),
    );
    stranger.end();
    expect(registry.read((reader) => reader.findOperation(session.id))?.fence).toBe(fence);
  });

  it('is free after its end, which may be said twice', () => {
    const operation = begin(1, 'deliver');
    operation.end();
    operation.end();
    begin(2, 'resume').end();
  });
});

describe("a row of this process's own that nobody is at", () => {
  it("stands in nobody's way, and is forgotten: its end could not be written", () => {
    const context = contextOf(1, [1, 2]);
    const own = exampleSession('own');
    registry.update((tx) => tx.putSession(own));
    const operation = beginOperation(context, own, 'resume');
    const row = registry.read((reader) => reader.findOperation(own.id));
    expect(isOperationHeld(context, row)).toBe(true);
    forgetOwnOperations(context);
    expect(registry.read((reader) => reader.operations())).toHaveLength(1);

    using locker = holdWriteLock();
    expect(() => operation.end()).toThrow(expect.objectContaining({ code: 'registry.busy' }));
    locker[Symbol.dispose]();
    expect(isOperationHeld(context, row)).toBe(false);
    expect(registry.read((reader) => reader.operations())).toHaveLength(1);
    forgetOwnOperations(context);
    expect(registry.read((reader) => reader.operations())).toEqual([]);
  });
});

/** Held by another connection, as a process that hangs would. */
function holdWriteLock(): Disposable {
  const db = connect(join(folder, 'agent-sessions.db'));
  db.exec('BEGIN IMMEDIATE');
  let isHeld = true;
  return {
    [Symbol.dispose]: () => {
      if (isHeld) db.close();
      isHeld = false;
    },
  };
}
