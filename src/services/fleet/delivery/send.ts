import { crashPoint } from '../../../base/crash-point.ts';
import { ulid } from '../../../base/ulid.ts';
import {
  type Delivery,
  type DeliveryState,
  isProven,
  isSettled,
  mayBeTyped,
} from '../../../domain/delivery.ts';
import { MamError } from '../../../domain/errors.ts';
import { isOwnerAlive } from '../../../domain/owner.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import type { FleetContext } from '../context.ts';
import { observeSession } from '../observe.ts';
import { beginOperation, type HeldOperation } from '../operations.ts';
import { drainSpool } from '../spool.ts';
import { findAnswer } from './evidence.ts';
import { type Readiness, readiness } from './readiness.ts';
import { DeliveryRun } from './run.ts';

/** Between looks at an agent that is busy. Milliseconds. */
const BUSY_GAP_MS = 250;

export interface SendRequest {
  readonly text: string;
  /** The caller's key: at most one submission per id. */
  readonly id?: string;
  /** A new delivery of a text whose former one is `unknown` or was not submitted. */
  readonly again?: boolean;
  readonly until: 'submitted' | 'answered';
  readonly timeoutMs: number;
}

/** Why a prompt was not even queued: the caller must change it. @throws {MamError} `usage` codes. */
export function assertPrompt(text: string, adapter: AgentAdapter): void {
  if (text.trim() === '') {
    throw new MamError('prompt.blank', 'The prompt is blank: there is nothing to send.');
  }
  const size = Buffer.byteLength(text);
  const limit = adapter.card.inlineLimitBytes;
  if (size > limit) {
    throw new MamError(
      'prompt.too-long',
      `The prompt has ${size} bytes; ${adapter.kind} takes at most ${limit}.`,
      { size_bytes: size, limit_bytes: limit },
      { hint: 'Put the text into a file the agent can read, and send its path.' },
    );
  }
}

/**
 * Delivers a text with proof, at most once per id. Unfinished deliveries of the session come first.
 *
 * @returns The delivery as it stands at the end: the caller maps its state to an exit code.
 * @throws {MamError} `delivery.conflict`, `prompt.*`.
 */
export async function send(
  context: FleetContext,
  session: Session,
  request: SendRequest,
): Promise<Delivery> {
  const adapter = context.adapters.get(session.agent);
  assertPrompt(request.text, adapter);
  const plan = adapter.planTyping(request.text);
  const delivery = enqueue(context, session, plan, request);
  crashPoint('delivery.1');
  const deadlineMs = context.clock.monotonicMs() + request.timeoutMs;
  const settled = await settleUpTo(context, session, delivery.id, deadlineMs);
  if (request.until === 'submitted' || !isProven(settled)) return settled;
  return awaitAnswer(context, session, settled, deadlineMs);
}

/** Step 1: the row exists before anything is typed, the text before the row. */
function enqueue(
  context: FleetContext,
  session: Session,
  plan: TypingPlan,
  request: SendRequest,
): Delivery {
  const { registry, clock, files, processes } = context;
  const wanted = request.id ?? ulid(clock.nowMs());
  const known = registry.read((reader) => reader.findDelivery(wanted));
  if (known && !request.again) return sameOrConflict(known, session, plan);
  const id = known ? `${wanted}.again.${ulid(clock.nowMs()).slice(-6)}` : wanted;
  const now = isoNow(clock);
  const fresh: Delivery = {
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
    againOf: known ? wanted : null,
    answer: null,
  };
  files.write(textPath(context, session.launch, id), request.text, 0o600);
  return registry.update((tx) => {
    const raced = tx.findDelivery(id);
    if (raced) return sameOrConflict(raced, session, plan);
    tx.putDelivery(fresh);
    return fresh;
  });
}

function sameOrConflict(known: Delivery, session: Session, plan: TypingPlan): Delivery {
  if (known.sessionId === session.id && known.hash === plan.hash) return known;
  throw new MamError(
    'delivery.conflict',
    `Delivery id "${known.id}" was already used for another ${known.sessionId === session.id ? 'text' : 'session'}.`,
    { delivery: known.id },
    { hint: 'Use an id of its own for each text.' },
  );
}

function textPath(context: FleetContext, launch: string, id: string): string {
  return `${workspacePaths.launch(context.workspace, launch)}/delivery-${id}.txt`;
}

/** Settles deliveries in their order until `id` is settled, or the time is over. */
async function settleUpTo(
  context: FleetContext,
  session: Session,
  id: string,
  deadlineMs: number,
): Promise<Delivery> {
  for (;;) {
    const current = getDelivery(context, id);
    if (isSettled(current)) return current;
    const outcome = await attempt(context, session, id);
    const after = getDelivery(context, id);
    if (isSettled(after)) return after;
    if (outcome.kind === 'blocked') return release(context, id, outcome.reason);
    if (outcome.kind === 'refused') return refuse(context, id, outcome);
    if (context.clock.monotonicMs() >= deadlineMs) return release(context, id, 'timeout');
    await context.clock.sleep(BUSY_GAP_MS, context.signal);
  }
}

/** One try at the oldest delivery that is ours to move. */
async function attempt(context: FleetContext, session: Session, id: string): Promise<Readiness> {
  const { registry, adapters } = context;
  const current = registry.read((reader) => reader.findSessionById(session.id));
  if (current?.launch !== session.launch || current.status !== 'running') {
    return { kind: 'refused', reason: 'ended', detail: 'the session is not running' };
  }
  const next = nextDelivery(context, session.id, id);
  if (!next) return { kind: 'wait', reason: 'another command is delivering' };
  // Only a delivery that was not typed may wait without the lock: looking changes nothing.
  if (!mayBeTyped(next)) {
    const seen = await observeSession(context, current);
    const verdict = readiness(seen, context.clock.nowMs());
    if (verdict.kind !== 'ready') return verdict;
  }
  const operation = tryBegin(context, current);
  if (!operation) return { kind: 'wait', reason: 'another command holds the session' };
  try {
    const adapter = adapters.get(current.agent);
    return await runDelivery(context, operation, adapter, current, next.id);
  } finally {
    operation.end();
    drainSpool(context, current, current.launch);
  }
}

async function runDelivery(
  context: FleetContext,
  operation: HeldOperation,
  adapter: AgentAdapter,
  session: Session,
  id: string,
): Promise<Readiness> {
  const fresh = getDelivery(context, id);
  if (isSettled(fresh)) return { kind: 'ready' };
  const text = context.files.readText(textPath(context, fresh.launch, id));
  if (text === undefined) {
    operation.update((tx) =>
      tx.putDelivery({
        ...fresh,
        state: 'unknown',
        reason: 'its text is no longer in the launch folder',
      }),
    );
    return { kind: 'ready' };
  }
  operation.update((tx) => tx.putDelivery({ ...fresh, owner: context.processes.self }));
  const plan = adapter.planTyping(text);
  const run = new DeliveryRun(
    { context, operation, adapter, session, plan },
    getDelivery(context, id),
  );
  const verdict = await run.advance();
  if (isSettled(run.delivery)) context.files.remove(textPath(context, fresh.launch, id));
  return verdict;
}

/** The oldest unsettled delivery that no other living process is at, up to and including `id`. */
function nextDelivery(context: FleetContext, sessionId: string, id: string): Delivery | undefined {
  const all = context.registry.read((reader) => reader.deliveries(sessionId));
  const upTo = all.slice(0, all.findIndex((delivery) => delivery.id === id) + 1);
  const oldest = upTo.find((delivery) => !isSettled(delivery));
  if (!oldest || oldest.id === id) return oldest;
  return isAbandoned(context, oldest) ? oldest : undefined;
}

function isAbandoned({ processes, clock }: FleetContext, { owner, updatedAt }: Delivery): boolean {
  if (!owner) return true;
  const deadlineMs = Date.parse(updatedAt) + 10 * 60_000;
  return !isOwnerAlive(owner, deadlineMs, processes, clock.nowMs());
}

function tryBegin(context: FleetContext, session: Session): HeldOperation | undefined {
  try {
    return beginOperation(context, session, 'deliver');
  } catch (error) {
    if (error instanceof MamError && error.code === 'session.busy') return undefined;
    throw error;
  }
}

/** It stays queued, for whoever comes next. */
function release(context: FleetContext, id: string, reason: string): Delivery {
  return change(context, id, (delivery) => ({ ...delivery, owner: null, reason }));
}

function refuse(
  context: FleetContext,
  id: string,
  { reason, detail }: { readonly reason: string; readonly detail: string },
): Delivery {
  const why = detail === '' ? reason : `${reason}: ${detail}`;
  return change(context, id, (delivery) => ({ ...delivery, state: 'refused', reason: why }));
}

function change(context: FleetContext, id: string, fn: (delivery: Delivery) => Delivery): Delivery {
  return context.registry.update((tx) => {
    const current = tx.findDelivery(id);
    if (!current) throw new TypeError(`delivery ${id} has no row`);
    if (isSettled(current) || mayBeTyped(current)) return current;
    const changed = { ...fn(current), updatedAt: isoNow(context.clock) };
    tx.putDelivery(changed);
    return changed;
  });
}

function getDelivery(context: FleetContext, id: string): Delivery {
  const found = context.registry.read((reader) => reader.findDelivery(id));
  if (!found) throw new TypeError(`delivery ${id} has no row`);
  return found;
}

/** Step 10. Evidence only: the hook that ends the turn. */
async function awaitAnswer(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  deadlineMs: number,
): Promise<Delivery> {
  const spool = workspacePaths.spool(context.workspace, session.launch);
  for (;;) {
    const seen = await observeSession(context, session);
    const found = findAnswer(delivery, seen.events);
    if (found) return recordAnswer(context, session, delivery, found);
    if (!seen.agentAlive) return delivery;
    if (context.clock.monotonicMs() >= deadlineMs) return delivery;
    await context.files.waitForChange(spool, BUSY_GAP_MS, context.signal);
  }
}

function recordAnswer(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
  { answer, failed }: { readonly answer: string | null; readonly failed: string | null },
): Delivery {
  const state: DeliveryState = 'answered';
  const changed: Delivery = {
    ...delivery,
    state,
    answer,
    reason: failed,
    updatedAt: isoNow(context.clock),
  };
  drainSpool(context, session, session.launch);
  context.registry.update((tx) => tx.putDelivery(changed));
  return changed;
}
