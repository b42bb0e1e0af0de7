import { isSettled } from '../../../domain/delivery.ts';
import { enterWhenShown } from './entering.ts';
import type { DeliveryInHand } from './in-hand.ts';
import { awaitEvidence } from './proving.ts';
import type { Obstacle, Outcome } from './readiness.ts';
import { findOutWhetherTyped, typeWhenReady } from './typing.ts';

/**
 * Takes one delivery through its states; each is committed before the next step, so that whoever comes
 * after a crash goes on from what is known (docs/delivery.md has the table). Typed at most once, by
 * tmux's own word: the number that a paste leaves on the pane.
 *
 * From the first typed character on it goes on to the end, a few seconds at most, whatever the caller's
 * signal says: a text left in the composer would be in everybody's way.
 *
 * One attempt, without waiting for the agent to become ready.
 *
 * @returns `ready` when the delivery is settled, else what is in the way; then it can be gone on with.
 */
export async function advance(hand: DeliveryInHand): Promise<Outcome> {
  while (!isSettled(hand.delivery)) {
    const inTheWay = await nextStep(hand);
    if (inTheWay) return inTheWay;
  }
  return { kind: 'ready' };
}

function nextStep(hand: DeliveryInHand): Promise<Obstacle | undefined> {
  switch (hand.delivery.state) {
    case 'queued':
      return typeWhenReady(hand);
    case 'typing':
      return findOutWhetherTyped(hand);
    case 'typed':
      return enterWhenShown(hand);
    default:
      return awaitEvidence(hand);
  }
}
