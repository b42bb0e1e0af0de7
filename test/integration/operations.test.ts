import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationKind } from '../../src/domain/launch.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { beginOperation } from '../../src/services/fleet/operations.ts';
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
function contextOf(pid: number, alive: readonly number[]) {
  const self: Owner = { ...openProcessTable().self, pid, startTicks: String(pid) };
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

  it('is free after its end, which may be said twice', () => {
    const operation = begin(1, 'deliver');
    operation.end();
    operation.end();
    begin(2, 'resume').end();
  });
});
