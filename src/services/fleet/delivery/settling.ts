import { type Delivery, isSettled, mayBeTyped } from '../../../domain/delivery.ts';
import { type ErrorCode, isMamError } from '../../../domain/errors.ts';
import { isSameOwner } from '../../../domain/owner.ts';
import type { Session } from '../../../domain/session.ts';
import { workspacePaths } from '../../../domain/workspace.ts';
import { isoNow } from '../../../ports/clock.ts';
import { afterwards } from '../afterwards.ts';
import { awaitReady } from '../await-ready.ts';
import type { FleetContext } from '../context.ts';
import { mayAnswer } from '../dialogs.ts';
import { drainSpool } from '../drain.ts';
import { keepConversation } from '../keep-conversation.ts';
import { recordUp } from '../launching.ts';
import { type Observation, observeSession } from '../observe.ts';
import { beginOperation, type HeldOperation, isOperationHeld } from '../operations.ts';
import { isBygone, settleBygone, TEXT_LOST } from './bygone.ts';
import { readText, removeText } from './delivery-text.ts';
import { tellsByHooks } from './evidence.ts';
import { DeliveryInHand } from './in-hand.ts';
import { getDelivery, isAbandoned, nextDelivery } from './line.ts';
import { describeDraft } from './own-draft.ts';
import { patiently } from './patience.ts';
import { dialogObstacle, type Obstacle, type Outcome, readiness } from './readiness.ts';
import { advance } from './run.ts';

/** Between looks at an agent that is busy; a hook of its launch wakes earlier. Milliseconds. */
const BUSY_GAP_MS = 250;
const MAX_GAP_MS = 2_000;
/** Reasons to wait that a caller may want to know. */
export const ANOTHER_DELIVERS = 'another command is delivering';
const HELD: Obstacle = { kind: 'wait', reason: 'another command holds the session' };
const COMES_BACK: readonly ErrorCode[] = ['session.busy', 'launch.superseded', 'registry.busy'];

/** Nothing is in the way, with what was seen; `starts`: nobody has waited yet until this agent was ready. */
type Ahead =
  | { readonly kind: 'go'; readonly seen: Observation | undefined }
  | { readonly kind: 'starts' };

const GO: Ahead = { kind: 'go', seen: undefined };

/** One command's work on the deliveries of one session. */
export class Settling {
  readonly #context: FleetContext;
  readonly #session: Session;
  readonly #deadlineMs: number;
  readonly #touched = new Set<string>();

  constructor(context: FleetContext, session: Session, deadlineMs: number) {
    this.#context = context;
    this.#session = session;
    this.#deadlineMs = deadlineMs;
  }

  /** One try at the oldest delivery that is ours to move. */
  async attempt(id: string): Promise<Outcome> {
    this.#touched.add(id);
    const session = this.#currentSession();
    const next = nextDelivery(this.#context, session.id, id);
    if (!next) return { kind: 'wait', reason: ANOTHER_DELIVERS };
    if (isBygone(session, next)) return this.#settleBygone(session, next);
    if (this.#isHeldByAnother(session)) return HELD;
    // Only a delivery that was not typed may wait without the lock: looking changes nothing.
    const ahead = mayBeTyped(next) ? GO : await this.#lookAhead(session, next);
    if (ahead.kind !== 'go' && ahead.kind !== 'starts') return ahead;
    return this.#holding(session, async (operation) => {
      const starts = ahead.kind === 'starts';
      const inTheWay = starts ? await this.#bringUp(operation, session) : undefined;
      return inTheWay ?? this.#run(operation, session, next.id, starts ? undefined : ahead.seen);
    });
  }

  async refuse(
    id: string,
    { reason, detail }: Extract<Obstacle, { kind: 'refused' }>,
  ): Promise<void> {
    const why = detail === '' ? reason : `${reason}: ${detail}`;
    await this.#change(id, (current) =>
      mayBeTyped(current)
        ? { ...current, reason: why }
        : { ...current, state: 'refused', reason: why, owner: null },
    );
    const settled = getDelivery(this.#context, id);
    if (isSettled(settled)) removeText(this.#context, settled);
  }

  /** Why it stays as it is. */
  note(id: string, reason: string): Promise<void> {
    return this.#change(id, (current) => ({ ...current, reason }));
  }

  /** The first in the line listens for hooks; the others look the less often the longer it is. */
  async pause(id: string): Promise<void> {
    const { registry, clock, files, workspace, signal } = this.#context;
    const open = registry.read((reader) => reader.deliveries(this.#session.id, { open: true }));
    const place = open.findIndex((delivery) => delivery.id === id);
    if (place > 0) return clock.sleep(Math.min(place * BUSY_GAP_MS, MAX_GAP_MS), signal);
    const spool = workspacePaths.spool(workspace, this.#session.launch);
    return files.waitForChange(spool, BUSY_GAP_MS, signal);
  }

  /** Whoever comes next may go on at once, also while this process lives. */
  async letGo(): Promise<void> {
    for (const id of this.#touched) {
      await this.#afterwards(`Delivery ${id} could not be let go`, () =>
        this.#change(id, (current) => ({ ...current, owner: null })),
      );
    }
  }

  #currentSession(): Session {
    const { registry } = this.#context;
    const current = registry.read((reader) => reader.findSessionById(this.#session.id));
    return current ?? { ...this.#session, status: 'terminated' };
  }

  async #settleBygone(session: Session, delivery: Delivery): Promise<Outcome> {
    // While it is being stopped or resumed its events are still on their way.
    if (this.#isHeldByAnother(session)) return HELD;
    return patiently(this.#context, () => {
      settleBygone(this.#context, session, delivery);
      return { kind: 'ready' };
    });
  }

  #isHeldByAnother(session: Session): boolean {
    const held = this.#context.registry.read((reader) => reader.findOperation(session.id));
    return isOperationHeld(this.#context, held);
  }

  async #lookAhead(session: Session, next: Delivery): Promise<Obstacle | Ahead> {
    const seen = await observeSession(this.#context, session);
    const go = { kind: 'go', seen } as const;
    const verdict = readiness(seen, this.#context.clock.nowMs());
    if (verdict.kind === 'ready' || verdict.kind === 'covered') return go;
    const { agent, agentState } = seen;
    if (agentState === 'T' && agent) this.#context.processes.signal(agent, 'SIGCONT');
    if (this.#isStarting(session, seen)) return { kind: 'starts' };
    if (verdict.kind !== 'refused' || verdict.reason !== 'draft') return verdict;
    // A repeat may find its own text there; the run decides.
    if (next.againOf !== null) return go;
    return { ...verdict, detail: describeDraft(this.#context, session, seen) ?? verdict.detail };
  }

  #isStarting(session: Session, seen: Observation): boolean {
    if (!seen.hooksExpected || tellsByHooks(seen)) return false;
    const dialog = seen.reading?.dialog;
    const mayGoOn = !dialog || mayAnswer(dialog.rule, this.#context, session);
    return seen.agentAlive && mayGoOn;
  }

  /**
   * A `stop` may take the session over, and the registry may be busy: what was begun is looked at again.
   */
  async #holding(
    session: Session,
    fn: (operation: HeldOperation) => Promise<Outcome>,
  ): Promise<Outcome> {
    let operation: HeldOperation | undefined;
    try {
      operation = beginOperation(this.#context, session, 'deliver');
      return await fn(operation);
    } catch (error) {
      if (isMamError(error) && COMES_BACK.includes(error.code)) return HELD;
      throw error;
    } finally {
      const held = operation;
      await this.#afterwards(`Session "${session.name}" could not be let go`, () =>
        patiently(this.#context, () => held?.end()),
      );
      await this.#afterwards(`Hook events of "${session.name}" were not taken in`, () =>
        patiently(this.#context, () => drainSpool(this.#context, session, session.launch)),
      );
    }
  }

  #afterwards(failure: string, fn: () => Promise<void>): Promise<void> {
    return afterwards(this.#context, failure, fn);
  }

  async #run(
    operation: HeldOperation,
    session: Session,
    id: string,
    looked: Observation | undefined,
  ): Promise<Outcome> {
    const { adapters, processes } = this.#context;
    const fresh = getDelivery(this.#context, id);
    if (isSettled(fresh)) return { kind: 'ready' };
    const adapter = adapters.get(session.agent);
    const text = readText(this.#context, fresh);
    const plan = text === undefined ? undefined : adapter.planTyping(text);
    if (plan?.hash !== fresh.hash) {
      settleBygone(this.#context, session, fresh, TEXT_LOST);
      return { kind: 'ready' };
    }
    const owned = { ...fresh, owner: processes.self };
    this.#touched.add(id);
    operation.update((tx) => tx.putDelivery(owned));
    const parts = { context: this.#context, operation, adapter, session, plan };
    const hand = new DeliveryInHand(parts, owned, looked);
    const verdict = await advance(hand);
    const { delivery } = hand;
    if (isSettled(delivery) && delivery.state !== 'not-submitted') {
      removeText(this.#context, delivery);
    }
    return verdict;
  }

  /** A session created without waiting is brought up by whoever first speaks to it. */
  async #bringUp(operation: HeldOperation, session: Session): Promise<Obstacle | undefined> {
    const { clock } = this.#context;
    const leftMs = Math.max(0, this.#deadlineMs - clock.monotonicMs());
    const outcome = await awaitReady(this.#context, operation, session, leftMs);
    switch (outcome.kind) {
      case 'ready':
        recordUp(this.#context, operation, session, outcome.pane);
        await keepConversation(this.#context, session);
        return undefined;
      case 'waiting':
        return dialogObstacle(outcome.detail);
      case 'ended':
        return {
          kind: 'refused',
          reason: 'ended',
          detail: `status ${outcome.status ?? 'unknown'}`,
        };
      case 'timeout':
        return { kind: 'wait', reason: 'starting' };
    }
  }

  /** Only what is not settled, and ours or nobody's. */
  #change(id: string, fn: (delivery: Delivery) => Delivery): Promise<void> {
    const { registry, processes, clock } = this.#context;
    const write = () =>
      registry.update((tx) => {
        const current = tx.findDelivery(id);
        if (!current || isSettled(current)) return;
        const isOurs = current.owner !== null && isSameOwner(current.owner, processes.self);
        if (!isOurs && !isAbandoned(this.#context, current)) return;
        tx.putDelivery({ ...fn(current), updatedAt: isoNow(clock) });
      });
    return patiently(this.#context, write);
  }
}
