import { crashPoint } from '../../../base/crash-point.ts';
import { isSettled } from '../../../domain/delivery.ts';
import { takeNumber } from '../dialogs.ts';
import type { Observation } from '../observe.ts';
import { type DeliveryInHand, REDRAW_GAP_MS } from './in-hand.ts';
import { settleWithoutAgent, whyGone } from './last-words.ts';
import { type Obstacle, obstacle, screenHolds, UNREACHABLE } from './readiness.ts';

/** How long the composer may take to show what was typed. A 1 MiB paste takes most of a second. */
const ECHO_TIMEOUT_MS = 5_000;
const ECHO_BYTES_PER_MS = 100;
/** Marks of a number are 10 N + k: k has one digit. */
const MARKS = 10;

/** What a wait for the composer ended with. */
type Echo = { readonly kind: 'shown'; readonly seen: Observation } | { readonly kind: 'moved-on' };

const MOVED_ON = { kind: 'moved-on' } as const;

/** Steps 7 and 8: Enter only while the composer shows our text and nothing of anybody else's. */
export async function enterWhenShown(hand: DeliveryInHand): Promise<Obstacle | undefined> {
  crashPoint('delivery.6');
  const echo = await awaitEcho(hand);
  if (echo.kind === 'moved-on') return undefined;
  if (echo.kind !== 'shown') return echo;
  const { seen } = echo;
  const cursor = seen.pane?.cursor ?? { x: 0, y: 0 };
  hand.save({ cursor });
  hand.beforeEnter = seen;
  crashPoint('delivery.7');
  const enters = hand.delivery.enters + 1;
  const result = await hand.parts.context.multiplexer.press({
    paneId: seen.pane?.paneId ?? '',
    launchId: hand.parts.session.launch,
    key: 'Enter',
    mark: hand.delivery.number * MARKS + enters,
    cursor,
  });
  crashPoint('delivery.8');
  if (result === 'done') return hand.save({ state: 'entered', enters });
  if (hand.mayTryAgain()) return undefined;
  return { kind: 'wait', reason: 'its screen kept moving before Enter' };
}

/** Waits until the composer holds our text and the card's pause is over. */
async function awaitEcho(hand: DeliveryInHand): Promise<Echo | Obstacle> {
  const { context, adapter, plan } = hand.parts;
  const { clock } = context;
  // From now on, not from when it was typed: the clock may have been set since.
  const notBefore = clock.monotonicMs() + (plan.enterDelayMs ?? adapter.card.enterDelayMs);
  const sizeMs = Buffer.byteLength(plan.typed) / ECHO_BYTES_PER_MS;
  const deadline = clock.monotonicMs() + ECHO_TIMEOUT_MS + sizeMs;
  // Nothing could be done before; a look costs a process.
  await clock.sleep(Math.max(0, notBefore - clock.monotonicMs()));
  for (;;) {
    const seen = await hand.look();
    if (seen.server === 'unreachable') return UNREACHABLE;
    const gone = whyGone(seen);
    if (gone) await settleWithoutAgent(hand, gone);
    if (isSettled(hand.delivery) || hand.proveByHook(seen)) return MOVED_ON;
    const shown = screenHolds(seen, adapter, plan);
    if (noticeOtherEnters(hand, seen, shown)) return MOVED_ON;
    if (shown) return { kind: 'shown', seen };
    // Nobody but a person closes a dialog: what was typed waits for it without us.
    const inTheWay = seen.reading?.dialog && obstacle(seen);
    if (inTheWay && (await hand.standsStill(seen))) return inTheWay;
    if (clock.monotonicMs() >= deadline) return giveUpUnentered(hand, seen);
    await clock.sleep(REDRAW_GAP_MS);
  }
}

/** What was pressed before a crash that lost the commit, and what others pressed since. */
function noticeOtherEnters(hand: DeliveryInHand, { pane }: Observation, shown: boolean): boolean {
  const { enters } = hand.delivery;
  const k = marksOf(hand, pane);
  if (k >= MARKS) {
    if (!shown) return false;
    // A dialog was answered meanwhile, and the text still stands there: Enter gets a new number.
    hand.save({ number: takeNumber(hand.parts.operation, hand.parts.session), enters: 0 });
    return true;
  }
  if (k <= enters) return false;
  hand.save({ state: 'entered', enters: k });
  return true;
}

/** The pane's last mark, counted from our number: `MARKS` and more are of whoever came after us. */
function marksOf({ delivery }: DeliveryInHand, pane: Observation['pane']): number {
  return (pane?.pressed ?? 0) - delivery.number * MARKS;
}

function giveUpUnentered(hand: DeliveryInHand, seen: Observation): Echo | Obstacle {
  const inTheWay = obstacle(seen);
  if (inTheWay) return inTheWay;
  if (marksOf(hand, seen.pane) >= MARKS) {
    // Another's mark stands where ours may have been: an Enter of ours that was not committed is possible.
    hand.save({ state: 'entered', enters: 1 });
    return MOVED_ON;
  }
  const reason = seen.reading?.composer?.empty
    ? 'vanished: the agent shows nothing of it'
    : 'the composer does not hold exactly this text';
  hand.save({ state: 'not-submitted', reason });
  return MOVED_ON;
}
