import { type Delivery, isSettled, mayBeTyped } from '../../../domain/delivery.ts';
import { MamError } from '../../../domain/errors.ts';
import type { Session } from '../../../domain/session.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { RegistryTransaction } from '../../../ports/registry.ts';
import type { FleetContext } from '../context.ts';
import { allEvents } from '../spool.ts';
import { removeText } from './delivery-text.ts';
import { type Claim, claimByHook, claimByTranscript } from './evidence.ts';

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
  const claim = mayBeTyped(delivery) ? claimLate(context, session, delivery) : undefined;
  const settled = changeDelivery(context, delivery, (current, tx) => {
    if (isSettled(current)) return current;
    if (!mayBeTyped(current))
      return { ...current, state: 'refused', reason: `ended: ${why}, and it was not typed` };
    const evidence = claim?.(tx);
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
  if (!isOpen(delivery)) return delivery;
  const claim = claimLate(context, session, delivery);
  if (!context.readRegistry(claim)) return delivery;
  return changeDelivery(context, delivery, (current, tx) => {
    const evidence = isOpen(current) ? claim(tx) : undefined;
    return evidence ? { ...current, state: 'submitted', evidence, reason: null } : current;
  });
}

/** By hook, else by transcript, whenever it came. */
export function claimLate(context: FleetContext, session: Session, delivery: Delivery): Claim {
  const { events } = allEvents(context, { ...session, launch: delivery.launch });
  const byHook = claimByHook(delivery, events);
  const byTranscript = claimByTranscript(context, session, delivery);
  return (reader) => byHook(reader) ?? byTranscript(reader);
}

/**
 * Changes a delivery as its row stands now.
 *
 * @throws {MamError} `session.wrong-state` when its session was purged meanwhile.
 */
export function changeDelivery(
  { registry, clock }: FleetContext,
  { id }: Delivery,
  fn: (current: Delivery, tx: RegistryTransaction) => Delivery,
): Delivery {
  return registry.update((tx) => {
    const current = tx.findDelivery(id);
    if (!current) throw deliveryGone(id);
    const changed = fn(current, tx);
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
