import type { Delivery } from '../../../domain/delivery.ts';
import { isOwnerAlive, UNSEEN_OWNER_MS } from '../../../domain/owner.ts';
import type { FleetContext } from '../context.ts';
import { deliveryGone } from './bygone.ts';

/** The oldest unsettled delivery that no other living process is at, up to and including `id`. */
export function nextDelivery(
  context: FleetContext,
  sessionId: string,
  id: string,
): Delivery | undefined {
  const open = context.registry.read((reader) => reader.deliveries(sessionId, { open: true }));
  const [oldest] = open;
  if (!oldest || oldest.id === id) return oldest;
  return isAbandoned(context, oldest) ? oldest : undefined;
}

/** Nobody that lives is at it: whoever comes next may go on. */
export function isAbandoned(
  { processes, clock }: FleetContext,
  { owner, updatedAt }: Delivery,
): boolean {
  if (!owner) return true;
  const deadlineMs = Date.parse(updatedAt) + UNSEEN_OWNER_MS;
  return !isOwnerAlive(owner, deadlineMs, processes, clock.nowMs());
}

export function getDelivery(context: FleetContext, id: string): Delivery {
  const found = context.registry.read((reader) => reader.findDelivery(id));
  if (found) return found;
  throw deliveryGone(id);
}
