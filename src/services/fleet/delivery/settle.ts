import { type Delivery, isSettled } from '../../../domain/delivery.ts';
import type { Session } from '../../../domain/session.ts';
import { afterwards } from '../afterwards.ts';
import type { FleetContext } from '../context.ts';
import { getDelivery } from './line.ts';
import { ANOTHER_DELIVERS, Settling } from './settling.ts';

/** How long a turn that this very command began may take, for what waits behind it. Milliseconds. */
const OWN_TURN_MS = 2_000;
/** Waits for these are not worth a command that came for something else. */
const TAKES_LONG: ReadonlySet<string> = new Set(['working', ANOTHER_DELIVERS]);

/**
 * Settles deliveries in their order until `id` is settled, something is in the way, or the time is over.
 * What is not settled then belongs to nobody: the next command on the session goes on with it.
 *
 * @throws The signal's reason when aborted before anything was typed.
 */
export async function settleUpTo(
  context: FleetContext,
  session: Session,
  id: string,
  deadlineMs: number,
): Promise<Delivery> {
  const settling = new Settling(context, session, deadlineMs);
  try {
    for (;;) {
      const current = getDelivery(context, id);
      if (isSettled(current)) return current;
      const outcome = await settling.attempt(id);
      if (outcome.kind === 'refused') await settling.refuse(id, outcome);
      else if (outcome.kind === 'blocked') await settling.note(id, outcome.reason);
      else if (context.clock.monotonicMs() >= deadlineMs) await settling.note(id, 'timeout');
      else {
        if (outcome.kind === 'wait') await settling.pause(id);
        continue;
      }
      return getDelivery(context, id);
    }
  } finally {
    await settling.letGo();
  }
}

/**
 * Goes on with what waits for this session, as long as it only needs a moment: not while a turn runs.
 * A failure, or an abort, is a warning: the caller came for something else, and that is done.
 */
export async function deliverWaiting(
  context: FleetContext,
  session: Session,
  timeoutMs: number,
): Promise<void> {
  await afterwards(context, `What waits for "${session.name}" was not delivered`, () =>
    goOnWithWaiting(context, session, timeoutMs),
  );
}

async function goOnWithWaiting(
  context: FleetContext,
  session: Session,
  timeoutMs: number,
): Promise<void> {
  const open = context.registry.read((reader) => reader.deliveries(session.id, { open: true }));
  const { id } = open.at(-1) ?? {};
  if (id === undefined) return;
  const deadline = context.clock.monotonicMs() + timeoutMs;
  const { clock } = context;
  const settling = new Settling(context, session, deadline);
  let doneAtMs = Number.NEGATIVE_INFINITY;
  try {
    while (clock.monotonicMs() < deadline && !isSettled(getDelivery(context, id))) {
      const outcome = await settling.attempt(id);
      if (outcome.kind === 'refused' || outcome.kind === 'blocked') return;
      if (outcome.kind === 'ready') doneAtMs = clock.monotonicMs();
      else if (TAKES_LONG.has(outcome.reason) && clock.monotonicMs() > doneAtMs + OWN_TURN_MS)
        return;
      else await settling.pause(id);
    }
  } finally {
    await settling.letGo();
  }
}
