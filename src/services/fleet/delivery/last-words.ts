import type { DeliveryEvidence } from '../../../domain/delivery.ts';
import type { Observation } from '../observe.ts';
import { claimLate, unproven } from './bygone.ts';
import { type DeliveryInHand, REDRAW_GAP_MS } from './in-hand.ts';

/** Evidence that is already under way may still come after the agent ended. */
const LAST_WORDS_MS = 1_000;

export function whyGone({ pane, agentAlive }: Observation): string | undefined {
  if (!pane) return 'its pane is gone';
  return agentAlive ? undefined : 'the agent ended';
}

/** Pane, launch or agent are gone: only spool and transcript can still prove anything. */
export async function settleWithoutAgent(hand: DeliveryInHand, why: string): Promise<undefined> {
  const { context, session } = hand.parts;
  const { clock } = context;
  const deadline = clock.monotonicMs() + LAST_WORDS_MS;
  for (;;) {
    if (hand.prove(claimLate(context, session, hand.delivery))) return;
    const quit = await quitEvidence(hand);
    if (quit && hand.prove(() => quit)) return;
    if (clock.monotonicMs() >= deadline) break;
    await clock.sleep(REDRAW_GAP_MS);
  }
  return hand.save({ state: 'unknown', reason: unproven(why) });
}

/** A command after which the agent ended well by itself. */
async function quitEvidence(hand: DeliveryInHand): Promise<DeliveryEvidence | undefined> {
  const { state, kind } = hand.delivery;
  if (state !== 'entered' || kind !== 'command') return undefined;
  const { exit } = await hand.look();
  if (exit?.status !== 0) return undefined;
  return { source: 'screen', event: null, at: new Date(exit.atMs).toISOString() };
}
