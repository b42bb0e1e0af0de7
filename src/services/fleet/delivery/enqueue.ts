import { ulid } from '../../../base/ulid.ts';
import { type Delivery, isProven, isSettled } from '../../../domain/delivery.ts';
import { isMamError, MamError } from '../../../domain/errors.ts';
import { parseCallerId } from '../../../domain/names.ts';
import type { Session } from '../../../domain/session.ts';
import type { TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { RegistryTransaction } from '../../../ports/registry.ts';
import type { FleetContext } from '../context.ts';
import { lookForLateEvidence } from './bygone.ts';
import { discardText, removeOldTexts, storeText } from './delivery-text.ts';

/** Deliveries of one session that wait; one more is refused. */
const MAX_WAITING = 500;
/** Settled deliveries remembered for each session: an id counts as used as long as its row is there. */
const MAX_REMEMBERED = 1_000;

export interface EnqueueRequest {
  readonly text: string;
  /** The caller's key, by the rule of names: at most one submission per id, while it is remembered. */
  readonly id?: string;
  /** A new delivery of a text whose former one is `unknown` or was not submitted. */
  readonly again?: boolean;
}

/**
 * Step 1: the row exists before anything is typed, the text before the row. A known id with the same
 * text is that delivery, whatever became of it.
 *
 * @throws {MamError} `name.invalid` for the caller's id, `delivery.conflict`, `session.wrong-state`,
 *   `session.busy`.
 */
export function enqueue(
  context: FleetContext,
  session: Session,
  plan: TypingPlan,
  request: EnqueueRequest,
): Delivery {
  const { registry, clock } = context;
  // It becomes part of a path.
  const wanted = request.id === undefined ? ulid(clock.nowMs()) : parseCallerId(request.id);
  const found = registry.read((reader) => findKnown(reader, session, plan, wanted, request));
  const known = found && lookForLateEvidence(context, session, found);
  if (known && !mayRepeat(known, request)) return known;
  // Made before, by whoever asked for it then: a repeat asked for twice is the same one.
  const made =
    known && registry.read((reader) => findKnown(reader, session, plan, repeatId(known), {}));
  if (made) return lookForLateEvidence(context, session, made);
  assertRunning(session);
  const fresh = newDelivery(context, session, plan, known ? repeatId(known) : wanted, known);
  storeText(context, fresh, request.text);
  const stored = insertOrDiscard(context, session, plan, fresh);
  const open = registry.read((reader) => reader.deliveries(session.id, { open: true }));
  removeOldTexts(context, session.launch, open);
  return stored;
}

function insertOrDiscard(
  context: FleetContext,
  session: Session,
  plan: TypingPlan,
  fresh: Delivery,
): Delivery {
  try {
    return context.registry.update((tx) => insert(tx, session, plan, fresh));
  } catch (error) {
    // Not after any other failure: another command may have stored the same text for its row.
    if (isMamError(error, 'session.wrong-state')) discardText(context, fresh);
    throw error;
  }
}

function insert(
  tx: RegistryTransaction,
  session: Session,
  plan: TypingPlan,
  fresh: Delivery,
): Delivery {
  // Another process may have been quicker with the same id.
  const raced = findKnown(tx, session, plan, fresh.id, {});
  if (raced) return raced;
  assertSameLaunch(tx.findSessionById(session.id), session);
  const waiting = tx.deliveries(session.id, { open: true }).length;
  if (waiting >= MAX_WAITING) throw queueFull(session, waiting);
  tx.trimDeliveries(session.id, MAX_REMEMBERED);
  tx.forgetEndedEvents(session.id);
  tx.putDelivery(fresh);
  return fresh;
}

type Reader = Pick<RegistryTransaction, 'findDelivery' | 'deliveries'>;

/** @throws {MamError} `delivery.conflict` when the id stands for something else. */
function findKnown(
  reader: Reader,
  session: Session,
  plan: TypingPlan,
  id: string,
  { again, id: given }: Pick<EnqueueRequest, 'again' | 'id'>,
): Delivery | undefined {
  if (again && given === undefined) return newestOf(reader, session, plan);
  const known = reader.findDelivery(id);
  if (!known) return undefined;
  if (known.sessionId !== session.id || known.hash !== plan.hash) throw conflict(known, session);
  return known;
}

/** Without an id, `again` means the newest delivery of this text, if that did not arrive. */
function newestOf(reader: Reader, session: Session, plan: TypingPlan): Delivery | undefined {
  const newest = reader.deliveries(session.id).findLast(({ hash }) => hash === plan.hash);
  return newest && !isProven(newest) ? newest : undefined;
}

function mayRepeat(known: Delivery, { again }: EnqueueRequest): boolean {
  return again === true && isSettled(known) && !isProven(known);
}

/**
 * `ID.again.1`, `ID.again.2`, …, each made by asking for the one before it: an id has one repeat, so that
 * whoever asks twice, or asks again after having been killed, never makes two.
 */
function repeatId({ id }: Delivery): string {
  const found = /^(.*)\.again\.(\d+)$/.exec(id);
  return found ? `${found[1]}.again.${Number(found[2]) + 1}` : `${id}.again.1`;
}

function newDelivery(
  { clock, processes }: FleetContext,
  session: Session,
  plan: TypingPlan,
  id: string,
  former: Delivery | undefined,
): Delivery {
  const now = isoNow(clock);
  return {
    id,
    sessionId: session.id,
    launch: session.launch,
    kind: plan.kind,
    number: 0,
    hash: plan.hash,
    state: 'queued',
    reason: null,
    evidence: null,
    enters: 0,
    cursor: null,
    owner: processes.self,
    createdAt: now,
    updatedAt: now,
    typedAtMs: null,
    againOf: former?.id ?? null,
    answer: null,
  };
}

function assertRunning(session: Session): void {
  if (session.status === 'running') return;
  throw new MamError(
    'session.wrong-state',
    `Cannot send to "${session.name}": it is ${session.status}.`,
    { session: session.name, status: session.status },
    { hint: `mam resume ${session.name}` },
  );
}

/** It may have been stopped, resumed or purged since it was looked at: its launch takes no text then. */
function assertSameLaunch(current: Session | undefined, seen: Session): void {
  if (!current) {
    const message = `Cannot send to "${seen.name}": it was purged meanwhile.`;
    throw new MamError('session.wrong-state', message, { session: seen.name });
  }
  assertRunning(current);
  if (current.launch === seen.launch) return;
  throw new MamError(
    'session.wrong-state',
    `Cannot send to "${seen.name}": it was started anew meanwhile.`,
    { session: seen.name, launch: current.launch },
    { hint: 'Send again: nothing was typed.' },
  );
}

function conflict(known: Delivery, session: Session): MamError {
  const other = known.sessionId === session.id ? 'text' : 'session';
  return new MamError(
    'delivery.conflict',
    `Delivery id "${known.id}" was already used for another ${other}.`,
    { delivery: known.id },
    { hint: 'Use an id of its own for each text.' },
  );
}

function queueFull(session: Session, count: number): MamError {
  return new MamError(
    'session.busy',
    `Session "${session.name}" has ${count} deliveries waiting; no more are taken.`,
    { session: session.name, waiting: count },
    { hint: `mam status ${session.name} says what it waits for` },
  );
}
