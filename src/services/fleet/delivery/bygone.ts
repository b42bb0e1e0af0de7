import {
  type Delivery,
  type DeliveryEvidence,
  isSettled,
  mayBeTyped,
} from '../../../domain/delivery.ts';
import { MamError } from '../../../domain/errors.ts';
import type { Session } from '../../../domain/session.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { FleetContext, ReadContext } from '../context.ts';
import { allEvents } from '../spool.ts';
import { removeText } from './delivery-text.ts';
import { evidenceByHook, evidenceByTranscript } from './evidence.ts';

/** Its launch is over: nothing can be typed or pressed any more. */
export function isBygone(session: Session, delivery: Delivery): boolean {
  return session.status !== 'running' || session.launch !== delivery.launch;
}

/**
 * Settles a delivery whose launch is over. Only spool and transcript can still prove that the agent took
 * it; what was typed and is not proven is `unknown`.
 */
export function settleBygone(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  why = 'the agent ended',
): Delivery {
  const evidence = mayBeTyped(delivery) ? findEvidence(context, session, delivery) : undefined;
  const settled = change(context, delivery, (current) => {
    if (isSettled(current)) return current;
    if (!mayBeTyped(current))
      return { ...current, state: 'refused', reason: `ended: ${why}, and it was not typed` };
    if (!evidence) return { ...current, state: 'unknown', reason: unproven(why) };
    return { ...current, state: 'submitted', evidence, reason: null };
  });
  removeText(context, delivery);
  return settled;
}

export const TEXT_LOST = 'its text is no longer in the launch folder';

export function unproven(why: string): string {
  return `${why}, and nothing proves that the agent took it`;
}

/**
 * A delivery that could not be proven may be proven now: a hook was late, or a person pressed Enter on
 * what was left in the composer.
 */
export function lookForLateEvidence(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
): Delivery {
  const isOpen = ({ state }: Delivery) => state === 'unknown' || state === 'not-submitted';
  const evidence = isOpen(delivery) ? findEvidence(context, session, delivery) : undefined;
  if (!evidence) return delivery;
  return change(context, delivery, (current) =>
    isOpen(current) ? { ...current, state: 'submitted', evidence, reason: null } : current,
  );
}

export function findEvidence(
  context: ReadContext,
  session: Session,
  delivery: Delivery,
): DeliveryEvidence | undefined {
  const { events } = allEvents(context, { ...session, launch: delivery.launch });
  return (
    evidenceByHook(context, delivery, events) ?? evidenceByTranscript(context, session, delivery)
  );
}

function change(
  { registry, clock }: FleetContext,
  { id }: Delivery,
  fn: (current: Delivery) => Delivery,
): Delivery {
  return registry.update((tx) => {
    const current = tx.findDelivery(id);
    if (!current) throw deliveryGone(id);
    const changed = fn(current);
    if (changed === current) return current;
    const settled = { ...changed, updatedAt: isoNow(clock) };
    tx.putDelivery(settled);
    return settled;
  });
}

/** A purge forgets a session's deliveries, also those that somebody still waits for. */
export function deliveryGone(id: string): MamError {
  return new MamError(
    'session.wrong-state',
    `Delivery ${id} is gone: its session was purged meanwhile.`,
    { delivery: id },
  );
}
