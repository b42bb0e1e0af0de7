import { isBetweenTurns } from '../../../domain/activity.ts';
import type { Delivery } from '../../../domain/delivery.ts';
import type { HookEvent } from '../../../domain/hook-fact.ts';
import type { Session } from '../../../domain/session.ts';
import { workspacePaths } from '../../../domain/workspace.ts';
import { deriveActivity } from '../activity.ts';
import type { FleetContext } from '../context.ts';
import { drainSpool } from '../drain.ts';
import { type Observation, observeSession } from '../observe.ts';
import { allEvents } from '../spool.ts';
import { changeDelivery, isBygone } from './bygone.ts';
import { readConversations, tellsByHooks } from './evidence.ts';

const LOOK_GAP_MS = 250;
/** The hook of a turn's end may come this long after its screen. Milliseconds. */
const HOOK_LAG_MS = 2_000;

/** How the turn of a delivery ended, as far as it is known. */
type TurnEnd =
  | { readonly kind: 'answered'; readonly answer: string | null }
  /** `reason` begins with one word that faces map to an exit code. */
  | { readonly kind: 'no-answer'; readonly reason: string };

/**
 * Step 10: waits for the end of the turn that the delivery started. Ends early when nobody but a person
 * can let it go on, or when no answer will come.
 *
 * @returns The delivery `answered`, or as it was with the reason why not: `timeout`, `dialog: …`,
 *   `limit: …`, `failed: …`, `interrupted: …`, `ended: …`.
 */
export async function awaitAnswer(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  deadlineMs: number,
): Promise<Delivery> {
  if (isBygone(session, delivery)) {
    const { events } = allEvents(context, { ...session, launch: delivery.launch });
    const end = findTurnEnd(delivery, events) ?? NO_MORE;
    if (end.kind === 'answered') return recordAnswer(context, session, delivery, end.answer);
    return { ...delivery, reason: end.reason };
  }
  const end = await awaitTurnEnd(context, session, delivery, deadlineMs);
  if (end.kind === 'answered') return recordAnswer(context, session, delivery, end.answer);
  return { ...delivery, reason: end.reason };
}

/** Hooks wake it, and their files alone may tell; the screen, which costs a process, is looked at less often. */
async function awaitTurnEnd(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  deadlineMs: number,
): Promise<TurnEnd> {
  const { clock, files, signal } = context;
  const spool = workspacePaths.spool(context.workspace, session.launch);
  let quietSinceMs: number | undefined;
  let nextLookMs = clock.monotonicMs();
  for (;;) {
    const told = toldEnd(context, delivery, session, allEvents(context, session).events);
    if (told) return told;
    const nowMs = clock.monotonicMs();
    if (nowMs >= nextLookMs) {
      const seen = await observeSession(context, session);
      const end = turnEnd(context, delivery, seen) ?? (await lastWords(context, delivery, seen));
      if (end) return end;
      quietSinceMs = seemsInterrupted(context, seen) ? (quietSinceMs ?? nowMs) : undefined;
      const isInterrupted = quietSinceMs !== undefined && nowMs - quietSinceMs >= HOOK_LAG_MS;
      if (isInterrupted) return { kind: 'no-answer', reason: INTERRUPTED };
      nextLookMs = clock.monotonicMs() + LOOK_GAP_MS;
    }
    if (nowMs >= deadlineMs) return { kind: 'no-answer', reason: 'timeout' };
    const waitMs = Math.min(nextLookMs, deadlineMs) - clock.monotonicMs();
    await files.waitForChange(spool, Math.max(1, waitMs), signal);
  }
}

/** By a hook; one that tells of the end alone leaves the answer to the conversation. */
function toldEnd(
  context: FleetContext,
  delivery: Delivery,
  session: Session,
  events: readonly HookEvent[],
): TurnEnd | undefined {
  const told = findTurnEnd(delivery, events);
  if (told?.kind !== 'answered' || told.answer !== null) return told;
  return { ...told, answer: lastStored(context, delivery, session) ?? null };
}

function turnEnd(
  context: FleetContext,
  delivery: Delivery,
  seen: Observation,
): TurnEnd | undefined {
  const told = toldEnd(context, delivery, seen.session, seen.events);
  const end = told ?? storedAnswer(context, delivery, seen);
  if (end) return end;
  const dialog = seen.reading?.dialog;
  return dialog ? { kind: 'no-answer', reason: `dialog: ${dialog.rule.detail}` } : undefined;
}

/**
 * An interrupt by a person fires no hook: the state file or the screen shows it. So does an end whose hook
 * is on its way. Without hooks: idle, and no answer is stored.
 */
function seemsInterrupted({ clock }: FleetContext, seen: Observation): boolean {
  const { state, source } = deriveActivity(seen, clock.nowMs());
  return state === 'idle' && source !== 'hook' && (tellsByHooks(seen) || !seen.hooksExpected);
}

const INTERRUPTED = 'interrupted: its turn ended without an answer';

/** The end of the first turn after the one that the evidence began. */
export function findTurnEnd(
  delivery: Pick<Delivery, 'evidence'>,
  events: readonly HookEvent[],
): TurnEnd | undefined {
  const from = events.findIndex(({ name }) => name === delivery.evidence?.event);
  const provenAt = delivery.evidence ? Date.parse(delivery.evidence.at) : 0;
  const later = from >= 0 ? events.slice(from + 1) : events.filter(({ atMs }) => atMs > provenAt);
  for (const { fact } of later) {
    if (fact.kind === 'turn-ended') return { kind: 'answered', answer: fact.answer ?? null };
    if (fact.kind === 'turn-interrupted') return { kind: 'no-answer', reason: INTERRUPTED };
    if (fact.kind === 'turn-failed') {
      const word = fact.limited ? 'limit' : 'failed';
      return { kind: 'no-answer', reason: `${word}: ${fact.error}` };
    }
  }
  return undefined;
}

/** Without hooks: what the agent stored, once its screen says that the turn is over. */
function storedAnswer(
  context: FleetContext,
  delivery: Delivery,
  seen: Observation,
): TurnEnd | undefined {
  if (tellsByHooks(seen) || !seen.reading || !isBetweenTurns(seen.reading)) return undefined;
  const answer = lastStored(context, delivery, seen.session);
  return answer === undefined ? undefined : { kind: 'answered', answer };
}

/** The answer to the last prompt of the conversation, when that is ours. */
function lastStored(
  context: FleetContext,
  { hash }: Delivery,
  session: Session,
): string | undefined {
  const conversation = readConversations(context, session).at(-1);
  return conversation?.prompts.at(-1)?.hash === hash ? conversation.lastAnswer : undefined;
}

/** The hook of the end may be written just before the agent ends. */
async function lastWords(
  context: FleetContext,
  delivery: Delivery,
  { agentAlive, session }: Observation,
): Promise<TurnEnd | undefined> {
  if (agentAlive) return undefined;
  await context.clock.sleep(LOOK_GAP_MS, context.signal);
  const { events } = await observeSession(context, session);
  return findTurnEnd(delivery, events) ?? NO_MORE;
}

const NO_MORE: TurnEnd = {
  kind: 'no-answer',
  reason: 'ended: the agent ended before it answered',
};

function recordAnswer(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  answer: string | null,
): Delivery {
  drainSpool(context, session, session.launch);
  return changeDelivery(context, delivery, (current) =>
    current.state === 'answered'
      ? current
      : { ...current, state: 'answered', answer, reason: null },
  );
}
