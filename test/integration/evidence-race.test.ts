import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import type { Delivery } from '../../src/domain/delivery.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { FleetContext } from '../../src/services/fleet/context.ts';
import { awaitAnswer } from '../../src/services/fleet/delivery/await-answer.ts';
import { lookForLateEvidence, settleBygone } from '../../src/services/fleet/delivery/bygone.ts';
import { DeliveryInHand } from '../../src/services/fleet/delivery/in-hand.ts';
import { beginOperation } from '../../src/services/fleet/operations.ts';
import { exampleObservation } from '../support/example-observation.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn } from '../support/fleet-context.ts';

const plan = demo.planTyping('ping');
const session = exampleSession('api', { conversationId: 'c1' });
const submitted = {
  name: '2.1.UserPromptSubmit',
  atMs: 2_000,
  fact: { kind: 'prompt-submitted', promptHash: plan.hash },
} as const;
const byHook = { source: 'hook', event: submitted.name, at: iso(submitted.atMs) } as const;
const byTranscript = { ...byHook, source: 'transcript', event: 'transcript.x.2000' } as const;
let root = '';
let registry: SqliteRegistry;
/** What another command does between our look and our write. */
let beforeWrite: (() => void) | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-e-'));
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
  registry.update((tx) => {
    tx.putSession(session);
    tx.addHookEvent(session.launch, submitted);
    tx.putDelivery(delivery('rival', 'entered'));
  });
});

afterEach(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

describe.each([
  ['the same hook event', byHook],
  ['the transcript of the same submission', byTranscript],
])('when another delivery takes %s first', (_, evidence) => {
  function rivalIsQuicker(): void {
    beforeWrite = () => {
      stored({ ...delivery('rival', 'submitted'), evidence });
    };
  }

  it('a delivery in hand is not proven by it', () => {
    const mine = stored(delivery('mine', 'entered'));
    const context = contextOf();
    const operation = beginOperation(context, session, 'deliver');
    rivalIsQuicker();
    const hand = new DeliveryInHand({ context, operation, adapter: demo, session, plan }, mine);
    const seen = exampleObservation({ session, events: [submitted] });
    expect(hand.proveByHook(seen)).toBe(false);
    expect(hand.delivery).toEqual(mine);
    expect(find('mine')).toEqual(mine);
  });

  it('one whose launch is over is unknown', () => {
    const mine = stored(delivery('mine', 'entered'));
    rivalIsQuicker();
    const settled = settleBygone(contextOf(), session, mine);
    expect(settled).toMatchObject({ state: 'unknown', evidence: null });
  });

  it('one that was unknown stays so', () => {
    const mine = stored(delivery('mine', 'unknown'));
    rivalIsQuicker();
    expect(lookForLateEvidence(contextOf(), session, mine)).toEqual(mine);
    expect(find('mine')).toEqual(mine);
  });
});

describe('an answer', () => {
  const ended = {
    name: '3.1.Stop',
    atMs: 3_000,
    fact: { kind: 'turn-ended', answer: 'pong' },
  } as const;
  const stopped = { ...session, status: 'stopped' } as const;
  const asked = { ...delivery('mine', 'submitted'), evidence: byHook };
  const answerOf = () => awaitAnswer(contextOf(), stopped, asked, systemClock.monotonicMs());

  beforeEach(() => {
    registry.update((tx) => tx.addHookEvent(session.launch, ended));
  });

  it('does not bring back a delivery that a purge forgot', async () => {
    await expect(answerOf()).rejects.toMatchObject({ code: 'session.wrong-state' });
    expect(find('mine')).toBeUndefined();
  });

  it('leaves the one that another command wrote down', async () => {
    const before = stored({ ...asked, state: 'answered', answer: 'pong', updatedAt: iso(9) });
    expect(await answerOf()).toEqual(before);
    expect(find('mine')).toEqual(before);
  });
});

function contextOf(): FleetContext {
  const update: SqliteRegistry['update'] = (fn) => {
    const rival = beforeWrite;
    beforeWrite = undefined;
    rival?.();
    return registry.update(fn);
  };
  return fleetContextIn(root, registry, {
    registry: {
      mode: registry.mode,
      read: (fn) => registry.read(fn),
      update,
      changeMonitorTerm: (fn) => registry.changeMonitorTerm(fn),
      scrub: () => registry.scrub(),
      close: () => registry.close(),
    },
  });
}

function delivery(id: string, state: Delivery['state']): Delivery {
  return {
    ...{ id, sessionId: session.id, launch: session.launch, kind: 'prompt', number: 1 },
    ...{ hash: plan.hash, state, reason: null, evidence: null, enters: 1, cursor: null },
    ...{ owner: null, createdAt: iso(1), updatedAt: iso(1), typedAtMs: 1_000, againOf: null },
    answer: null,
  };
}

function stored(mine: Delivery): Delivery {
  registry.update((tx) => tx.putDelivery(mine));
  return mine;
}

function find(id: string): Delivery | undefined {
  return registry.read((reader) => reader.findDelivery(id));
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
