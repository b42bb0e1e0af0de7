import { crashPoint } from '../../../base/crash-point.ts';
import type { Delivery } from '../../../domain/delivery.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { RegistryTransaction } from '../../../ports/registry.ts';
import type { FleetContext } from '../context.ts';
import { type Observation, observeSession } from '../observe.ts';
import type { HeldOperation } from '../operations.ts';
import { allEvents } from '../spool.ts';
import { type Claim, claimByHook, claimByTurn, provenOnScreen } from './evidence.ts';
import { type Readiness, readiness, sameLook } from './readiness.ts';

/** Between two looks that must be equal, and between looks that wait for a redraw. Milliseconds. */
export const LOOK_GAP_MS = 100;
export const REDRAW_GAP_MS = 60;
/** Commands refused by their guard are tried again after a fresh look, this often. */
const MAX_REFUSALS = 5;

export interface DeliveryParts {
  readonly context: FleetContext;
  readonly operation: HeldOperation;
  readonly adapter: AgentAdapter;
  readonly session: Session;
  readonly plan: TypingPlan;
}

/** One delivery that this process is at: its row, and what every step of it needs. */
export class DeliveryInHand {
  readonly parts: DeliveryParts;
  /** The screen just before Enter; undefined when another process pressed it. */
  beforeEnter: Observation | undefined;
  #delivery: Delivery;
  #refusals = 0;
  #looked: Observation | undefined;

  /** @param looked - What its caller has just seen, before it took the session's lock. */
  constructor(parts: DeliveryParts, delivery: Delivery, looked?: Observation) {
    this.parts = parts;
    this.#delivery = delivery;
    this.#looked = looked;
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  /** Commits a change; the next step begins only then. @throws {MamError} `session.busy` */
  save(change: Partial<Delivery>): undefined {
    this.#become(this.parts.operation.update((tx) => this.#put(tx, change)));
  }

  #become(changed: Delivery): void {
    this.#delivery = changed;
    const { id, state, evidence, reason } = changed;
    const details = { delivery: id, evidence: evidence?.source, reason };
    this.parts.context.logger.debug(`delivery ${state}`, details);
  }

  #put(tx: RegistryTransaction, change: Partial<Delivery>): Delivery {
    const updatedAt = isoNow(this.parts.context.clock);
    const changed = { ...this.#delivery, ...change, updatedAt };
    tx.putDelivery(changed);
    return changed;
  }

  readiness(seen: Observation): Readiness {
    return readiness(seen, this.parts.context.clock.nowMs());
  }

  look(): Promise<Observation> {
    this.#followClock();
    return observeSession(this.parts.context, this.parts.session);
  }

  /** The first of two looks that must agree: its caller's, once, else a new one. */
  firstLook(): Promise<Observation> | Observation {
    const looked = this.#looked;
    this.#looked = undefined;
    return looked ?? this.look();
  }

  /** After the clock was set back, what comes now would count as older than what was typed. */
  #followClock(): void {
    const nowMs = this.parts.context.clock.nowMs();
    if ((this.#delivery.typedAtMs ?? 0) > nowMs) this.save({ typedAtMs: nowMs });
  }

  /** @returns Whether nothing moved for a moment, and no evidence came. */
  async standsStill(seen: Observation): Promise<boolean> {
    await this.parts.context.clock.sleep(LOOK_GAP_MS);
    const again = await this.look();
    return sameLook(seen, again) && !this.proveByHook(again);
  }

  /** @returns Whether it is submitted now. */
  proveByHook({ events }: Pick<Observation, 'events'>): boolean {
    return this.prove(claimByHook(this.#delivery, events));
  }

  /** The same by the launch's files alone, which start no process. */
  proveByFiles(): boolean {
    this.#followClock();
    const { context, session } = this.parts;
    return this.proveByHook(allEvents(context, session));
  }

  /** @returns Whether it is submitted now. Only after an Enter of ours: what began before is not ours. */
  proveByTurn(seen: Observation): boolean {
    return this.prove(claimByTurn(this.#delivery, seen));
  }

  proveOnScreen(seen: Observation): boolean {
    const isProven = provenOnScreen(this.parts.plan, this.beforeEnter, seen);
    const at = isoNow(this.parts.context.clock);
    return isProven && this.prove(() => ({ source: 'screen', event: null, at }));
  }

  /** @returns Whether it is submitted now: not when another delivery was quicker with this evidence. */
  prove(claim: Claim): boolean {
    const { context, operation } = this.parts;
    if (!context.readRegistry(claim)) return false;
    crashPoint('delivery.10');
    const proven = operation.update((tx) => {
      const evidence = claim(tx);
      if (!evidence) return undefined;
      if (this.#delivery.kind === 'prompt') this.#recordPrompted(tx);
      return this.#put(tx, { state: 'submitted', evidence, reason: null });
    });
    if (proven) this.#become(proven);
    return proven !== undefined;
  }

  /** From now on there is a conversation; a hook tells the same, where there are hooks. */
  #recordPrompted(tx: RegistryTransaction): void {
    const { id, launch } = this.parts.session;
    const session = tx.findSessionById(id);
    if (session?.launch === launch && !session.prompted)
      tx.putSession({ ...session, prompted: true });
  }

  /** tmux refused a command because something had moved. @returns Whether it is worth another try. */
  mayTryAgain(): boolean {
    this.#refusals++;
    return this.#refusals <= MAX_REFUSALS;
  }
}
