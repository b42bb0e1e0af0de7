import { describe, expect, it } from 'vitest';
import type { Delivery, DeliveryState } from '../domain/delivery.ts';
import { answerExitCode, deliveryExitCode } from './outcome.ts';

function delivery(state: DeliveryState, reason: string | null): Delivery {
  return {
    ...{ id: 'd1', sessionId: 's', launch: 'l', kind: 'prompt', number: 1, hash: 'h' },
    ...{ state, reason, evidence: null, enters: 0, cursor: null, owner: null },
    ...{ createdAt: '', updatedAt: '', typedAtMs: null, againOf: null, answer: null },
  };
}

describe('exit code of a delivery', () => {
  it.each<[DeliveryState, string | null, number]>([
    ['submitted', null, 0],
    ['started', null, 0],
    ['answered', null, 0],
    ['queued', 'timeout', 8],
    ['queued', 'working', 8],
    ['queued', null, 8],
    ['queued', 'trust', 5],
    ['queued', 'login', 5],
    ['queued', 'lost: socket-missing', 5],
    ['typing', 'timeout', 6],
    ['typed', 'timeout', 6],
    ['entered', 'timeout', 6],
    ['entered', 'working', 6],
    ['entered', null, 6],
    ['typed', 'dialog: permission', 9],
    ['typed', 'mode: copy-mode', 9],
    ['entered', 'overlay: open', 9],
    ['typed', 'trust', 5],
    ['typed', 'lost: socket-missing', 5],
    ['not-submitted', 'vanished: gone', 6],
    ['unknown', 'the agent ended', 6],
    ['refused', 'draft: not ours', 9],
    ['refused', 'limit: reached', 9],
    ['refused', 'ended: it was not typed', 4],
    ['refused', 'stopped: before it was typed', 4],
  ])('%s (%s) is %i', (state, reason, code) => {
    expect(deliveryExitCode(delivery(state, reason))).toBe(code);
  });
});

describe('exit code of a wait for an answer', () => {
  it.each<[DeliveryState, string | null, number]>([
    ['answered', null, 0],
    ['submitted', 'timeout', 8],
    ['submitted', 'dialog: permission', 9],
    ['submitted', 'failed: unknown', 12],
    ['submitted', 'interrupted: no answer', 12],
    ['submitted', 'ended: before it answered', 4],
    ['entered', 'timeout', 6],
    ['queued', 'timeout', 8],
  ])('%s (%s) is %i', (state, reason, code) => {
    expect(answerExitCode(delivery(state, reason))).toBe(code);
  });
});
