import { crashPoint } from '../../../base/crash-point.ts';
import type { DismissKey } from '../../../ports/agent-adapter.ts';
import { takeNumber } from '../dialogs.ts';
import { dismiss } from '../dismiss.ts';
import type { Observation } from '../observe.ts';
import { type DeliveryInHand, LOOK_GAP_MS } from './in-hand.ts';
import { settleWithoutAgent } from './last-words.ts';
import { type Obstacle, sameLook, screenHolds, UNREACHABLE } from './readiness.ts';

/** Steps 3 and 4. */
export async function typeWhenReady(hand: DeliveryInHand): Promise<Obstacle | undefined> {
  const first = await hand.firstLook();
  const verdict = hand.readiness(first);
  if (verdict.kind === 'covered') return uncover(hand, first, verdict.key);
  if (verdict.kind === 'refused' && verdict.reason === 'draft' && isLeftInComposer(hand, first)) {
    // What is repeated is still there: it needs Enter only.
    return hand.save({
      state: 'typed',
      number: takeNumber(hand.parts.operation, hand.parts.session),
      typedAtMs: hand.parts.context.clock.nowMs(),
    });
  }
  if (verdict.kind !== 'ready') return verdict;
  const { clock, signal } = hand.parts.context;
  await clock.sleep(LOOK_GAP_MS, signal);
  const second = await hand.look();
  const again = hand.readiness(second);
  if (again.kind !== 'ready') return again.kind === 'covered' ? COVERED : again;
  if (!sameLook(first, second)) return { kind: 'wait', reason: 'its screen is moving' };
  signal.throwIfAborted();
  return type(hand, second);
}

const COVERED: Obstacle = { kind: 'wait', reason: 'something of its own covers its composer' };

/** Then all is looked at anew. */
async function uncover(
  hand: DeliveryInHand,
  seen: Observation,
  key: DismissKey,
): Promise<Obstacle> {
  const { context, operation, session } = hand.parts;
  await dismiss(context, operation, session, seen, key);
  return COVERED;
}

/** A repeat of what was not submitted: the text may still be where the former try left it. */
function isLeftInComposer(hand: DeliveryInHand, seen: Observation): boolean {
  const { context, adapter, plan } = hand.parts;
  const { againOf, launch } = hand.delivery;
  const former =
    againOf === null ? undefined : context.registry.read((tx) => tx.findDelivery(againOf));
  return (
    former?.state === 'not-submitted' &&
    former.launch === launch &&
    former.cursor?.x === seen.pane?.cursor.x &&
    former.cursor?.y === seen.pane?.cursor.y &&
    screenHolds(seen, adapter, plan)
  );
}

/** Steps 4 to 6. */
async function type(hand: DeliveryInHand, seen: Observation): Promise<Obstacle | undefined> {
  const { context, operation, session, plan } = hand.parts;
  crashPoint('delivery.3');
  const number = takeNumber(operation, session);
  hand.save({ state: 'typing', number, typedAtMs: context.clock.nowMs(), enters: 0 });
  crashPoint('delivery.4');
  const result = await context.multiplexer.paste({
    paneId: session.tmux?.paneId ?? '',
    launchId: session.launch,
    number,
    text: plan.typed,
    bracketed: plan.via === 'paste',
    // A dialog that opened since the look has moved it.
    ...(seen.pane ? { cursor: seen.pane.cursor } : {}),
  });
  crashPoint('delivery.5');
  if (result === 'done') return hand.save({ state: 'typed' });
  // Refused or gone: the pane itself knows whether this number was given to it.
  return findOutWhetherTyped(hand);
}

/** The pane knows which numbers it was given; one that it was not, it never takes from now on. */
export async function findOutWhetherTyped(hand: DeliveryInHand): Promise<Obstacle | undefined> {
  const { context, session } = hand.parts;
  const seen = await hand.look();
  if (seen.server === 'unreachable') return UNREACHABLE;
  if (!seen.pane) return settleWithoutAgent(hand, 'its pane is gone');
  const { number } = hand.delivery;
  const answer = await context.multiplexer.voidPaste(session.tmux?.paneId ?? '', number);
  if (answer === 'gone') return settleWithoutAgent(hand, 'its pane went away');
  if (answer === 'pasted') return hand.save({ state: 'typed' });
  hand.save({ state: 'queued', number: 0, typedAtMs: null });
  if (hand.mayTryAgain()) return undefined;
  return { kind: 'wait', reason: 'tmux kept refusing to type' };
}
