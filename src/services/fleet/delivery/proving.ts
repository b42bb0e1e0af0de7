import { crashPoint } from '../../../base/crash-point.ts';
import { runsTurn } from '../../../domain/activity.ts';
import { isSettled } from '../../../domain/delivery.ts';
import { workspacePaths } from '../../../domain/workspace.ts';
import type { Observation } from '../observe.ts';
import { claimByTranscript, tellsByHooks } from './evidence.ts';
import { type DeliveryInHand, REDRAW_GAP_MS } from './in-hand.ts';
import { settleWithoutAgent, whyGone } from './last-words.ts';
import { type Obstacle, obstacle, screenHolds, UNREACHABLE } from './readiness.ts';

/** How long a hook may take that tells of most submissions, before the screen is looked at. Milliseconds. */
const HOOK_MS = 250;
/** Enter is pressed at most this often for one delivery. */
const MAX_ENTERS = 3;
/** How fast an agent takes in a large text on a busy machine: Gemini CLI, 240 KB in 9 s. */
const TAKEN_BYTES_PER_MS = 20;
const LOST = 'vanished: the text left the composer and the agent did not take it';

/** Step 9. */
export async function awaitEvidence(hand: DeliveryInHand): Promise<Obstacle | undefined> {
  crashPoint('delivery.9');
  const { context, session, adapter, plan } = hand.parts;
  const spool = workspacePaths.spool(context.workspace, session.launch);
  const sizeMs = Buffer.byteLength(plan.typed) / TAKEN_BYTES_PER_MS;
  const deadline = context.clock.monotonicMs() + adapter.card.evidenceTimeoutMs + sizeMs;
  if (plan.evidence === 'hook' && (await heardInTime(hand, spool))) return undefined;
  for (;;) {
    const seen = await hand.look();
    if (hand.proveByHook(seen)) return undefined;
    if (plan.evidence === 'screen' && hand.proveOnScreen(seen)) return undefined;
    if (!seen.hooksExpected && hand.prove(claimByTranscript(context, session, hand.delivery)))
      return undefined;
    if (hand.proveByTurn(seen)) return undefined;
    if (seen.server === 'unreachable') return UNREACHABLE;
    const gone = whyGone(seen);
    if (gone) return settleWithoutAgent(hand, gone);
    const isOver = context.clock.monotonicMs() >= deadline;
    if (isOver || (await becameNewline(hand, seen))) return judgeAfterEnter(hand, seen);
    await context.files.waitForChange(spool, REDRAW_GAP_MS);
  }
}

/** @returns Whether a hook has proven it. Files tell of it, which cost no process as a look does. */
async function heardInTime(hand: DeliveryInHand, spool: string): Promise<boolean> {
  const { clock, files, adapters } = hand.parts.context;
  const { session } = hand.parts;
  if (!adapters.get(session.agent).card.readyHook || session.adopted) return false;
  const deadline = clock.monotonicMs() + HOOK_MS;
  for (;;) {
    if (hand.proveByFiles()) return true;
    const leftMs = deadline - clock.monotonicMs();
    if (leftMs <= 0) return false;
    // What came between the look and the wait for the next is seen at its end.
    await files.waitForChange(spool, Math.min(leftMs, REDRAW_GAP_MS));
  }
}

/**
 * The Enter was taken into the draft: our text is still there, and has grown by white space only. Two
 * looks must agree; then there is nothing to wait for.
 */
async function becameNewline(hand: DeliveryInHand, seen: Observation): Promise<boolean> {
  const { adapter, plan } = hand.parts;
  const before = hand.beforeEnter?.reading?.composer?.text;
  const now = seen.reading?.composer?.text;
  if (before === undefined || before === now || !screenHolds(seen, adapter, plan)) return false;
  return hand.standsStill(seen);
}

/** No evidence came: the transcript, then the composer must tell why. */
async function judgeAfterEnter(
  hand: DeliveryInHand,
  seen: Observation,
): Promise<Obstacle | undefined> {
  const { context, adapter, plan, session } = hand.parts;
  if (isSettled(hand.delivery)) return undefined;
  if (hand.prove(claimByTranscript(context, session, hand.delivery))) return undefined;
  if (hand.proveOnScreen(seen)) return undefined;
  const inTheWay = obstacle(seen);
  if (inTheWay) return inTheWay;
  if (screenHolds(seen, adapter, plan)) return enterAgain(hand, seen);
  // It may be in the agent's own queue: its hook comes when that turn begins.
  if (seen.reading && runsTurn(seen.reading)) return { kind: 'wait', reason: 'working' };
  const isGone = plan.evidence === 'hook' && tellsByHooks(seen) && seen.reading?.composer?.empty;
  return isGone
    ? hand.save({ state: 'not-submitted', reason: LOST })
    : hand.save({ state: 'unknown', reason: 'Enter was pressed and no evidence came' });
}

function enterAgain(hand: DeliveryInHand, seen: Observation): undefined {
  if (hand.delivery.enters < MAX_ENTERS) return hand.save({ state: 'typed' });
  const reason = `typed, and Enter was swallowed ${MAX_ENTERS} times; the text is in the composer`;
  return hand.save({ state: 'not-submitted', reason, cursor: seen.pane?.cursor ?? null });
}
