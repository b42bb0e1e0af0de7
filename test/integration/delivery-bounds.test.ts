import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/domain/delivery.ts';
import type { HookFact } from '../../src/domain/hook-fact.ts';
import type { Launch } from '../../src/domain/launch.ts';
import { exampleSession } from '../support/example-session.ts';
import { RegistryBed } from '../support/registry-bed.ts';

const KEEP = 20;
const session = exampleSession('a1');

function delivery(i: number, state: Delivery['state'], launch = session.launch): Delivery {
  const createdAt = new Date(1_800_000_000_000 + i).toISOString();
  return {
    ...{ id: `d${i}`, sessionId: session.id, launch, kind: 'prompt', number: i, hash: 'h' },
    ...{ state, reason: null, evidence: null, enters: 0, cursor: null, owner: null },
    ...{ createdAt, updatedAt: createdAt, typedAtMs: null, againOf: null, answer: null },
  };
}

function event(i: number, fact: HookFact = { kind: 'turn-ended' }) {
  return { name: `${i}.1.Stop`, atMs: i, fact };
}

function launch(id: string, state: Launch['state']): Launch {
  const owner = { pid: 1, startTicks: '1', host: 'h', boot: 'b', pidNamespace: 'n' };
  return {
    ...{ id, sessionId: session.id, kind: 'create', state, owner, deadlineMs: 0 },
    ...{ session: { ...session, launch: id }, paneId: null, panePid: null, recorder: null },
    ...{ lastNumber: 0, endedAt: null },
  };
}

describe('what a session remembers', () => {
  it('forgets the oldest settled deliveries, and none that is not settled', () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    registry.update((tx) => {
      tx.putSession(session);
      tx.putDelivery(delivery(0, 'typed'));
      for (let i = 1; i <= KEEP + 1; i++) tx.putDelivery(delivery(i, 'submitted'));
      tx.trimDeliveries(session.id, KEEP);
    });
    const ids = () => registry.read((tx) => tx.deliveries(session.id).map(({ id }) => id));
    expect(ids()).toHaveLength(KEEP + 2);
    registry.update((tx) => {
      for (let i = 100; i < 110; i++) tx.putDelivery(delivery(i, 'unknown'));
      tx.trimDeliveries(session.id, KEEP);
    });
    expect(ids()).toHaveLength(KEEP + 1);
    expect(ids().at(0)).toBe('d0');
    expect(ids().at(1)).toBe('d12');
    expect(ids().at(-1)).toBe('d109');
    const open = registry.read((tx) => tx.deliveries(session.id, { open: true }));
    expect(open.map(({ id }) => id)).toEqual(['d0']);
    registry.close();
  });

  it('forgets the oldest events, but for the newest start of a conversation', () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    registry.update((tx) => {
      tx.addHookEvent('l1', event(0, { kind: 'conversation-started', cause: 'startup' }));
      tx.addHookEvent('l1', event(1, { kind: 'conversation-started', cause: 'clear' }));
      for (let i = 2; i < KEEP * 2; i++) tx.addHookEvent('l1', event(i));
      for (let i = 0; i < KEEP * 2; i++) tx.addHookEvent('l2', event(i));
      tx.trimHookEvents('l1', KEEP);
    });
    const events = registry.read((tx) => tx.hookEvents('l1'));
    expect(events.map(({ atMs }) => atMs)).toEqual([
      1,
      ...Array.from({ length: KEEP }, (_, i) => KEEP + i),
    ]);
    expect(registry.read((tx) => tx.hookEvents('l2'))).toHaveLength(KEEP * 2);
    registry.close();
  });

  it('forgets the events of launches that ended, unless a delivery still needs them', () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    registry.update((tx) => {
      tx.putSession(session);
      for (const [id, state] of [
        ['old', 'ended'],
        ['needed', 'ended'],
        ['now', 'up'],
      ] as const) {
        tx.putLaunch(launch(id, state));
        tx.addHookEvent(id, event(1));
      }
      tx.putDelivery(delivery(1, 'entered', 'needed'));
      tx.putDelivery(delivery(2, 'submitted', 'old'));
      tx.forgetEndedEvents(session.id);
    });
    const count = (id: string) => registry.read((tx) => tx.hookEvents(id).length);
    expect([count('old'), count('needed'), count('now')]).toEqual([0, 1, 1]);
    registry.close();
  });
});
