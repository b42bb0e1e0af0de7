import { crashPoint } from '../../../base/crash-point.ts';
import type { Delivery, DeliveryEvidence } from '../../../domain/delivery.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { FleetContext } from '../context.ts';
import { type Observation, observeSession } from '../observe.ts';
import type { HeldOperation } from '../operations.ts';
import { evidenceByHook, provenOnScreen } from './evidence.ts';
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

  constructor(parts: DeliveryParts, delivery: Delivery) {
    this.parts = parts;
    this.#delivery = delivery;
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  /** Commits a change; the next step begins only then. @throws {MamError} `session.busy` */
  save(change: Partial<Delivery>): undefined {
    const { context, operation } = this.parts;
    const changed = { ...this.#delivery, ...change, updatedAt: isoNow(context.clock) };
    operation.update((tx) => tx.putDelivery(changed));
    this.#delivery = changed;
    const { id, state, evidence, reason } = changed;
    context.logger.debug(`delivery ${state}`, { delivery: id, evidence: evidence?.source, reason });
  }

  readiness(seen: Observation): Readiness {
    return readiness(seen, this.parts.context.clock.nowMs());
  }

  look(): Promise<Observation> {
    return observeSession(this.parts.context, this.parts.session);
  }

  /** @returns Whether nothing moved for a moment, and no evidence came. */
  async standsStill(seen: Observation): Promise<boolean> {
    await this.parts.context.clock.sleep(LOOK_GAP_MS);
    const again = await this.look();
    return sameLook(seen, again) && !this.proveByHook(again);
  }

  /** @returns Whether it is submitted now. */
  proveByHook({ events }: Observation): boolean {
    const evidence = evidenceByHook(this.parts.context, this.#delivery, events);
    if (evidence) this.prove(evidence);
    return evidence !== undefined;
  }

  proveOnScreen(seen: Observation): boolean {
    const isProven = provenOnScreen(this.parts.plan, this.beforeEnter, seen);
    const at = isoNow(this.parts.context.clock);
    if (isProven) this.prove({ source: 'screen', event: null, at });
    return isProven;
  }

  prove(evidence: DeliveryEvidence): undefined {
    crashPoint('delivery.10');
    return this.save({ state: 'submitted', evidence, reason: null });
  }

  /** tmux refused a command because something had moved. @returns Whether it is worth another try. */
  mayTryAgain(): boolean {
    this.#refusals++;
    return this.#refusals <= MAX_REFUSALS;
  }
}
