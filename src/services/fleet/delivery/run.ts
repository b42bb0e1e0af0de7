import { crashPoint } from '../../../base/crash-point.ts';
import type { Delivery, DeliveryEvidence } from '../../../domain/delivery.ts';
import { isSettled } from '../../../domain/delivery.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { FleetContext } from '../context.ts';
import { type Observation, observeSession } from '../observe.ts';
import type { HeldOperation } from '../operations.ts';
import { evidenceByHook, evidenceByTranscript, provenOnScreen } from './evidence.ts';
import { type Readiness, readiness, sameLook } from './readiness.ts';

/** Between two looks that must be equal, and between looks that wait for a redraw. Milliseconds. */
const LOOK_GAP_MS = 100;
const REDRAW_GAP_MS = 60;
/** How long the composer may take to show what was typed. A 1 MiB paste takes most of a second. */
const ECHO_TIMEOUT_MS = 5_000;
/** Enter is pressed at most this often for one delivery. */
const MAX_ENTERS = 3;
/** Commands refused by their guard are tried again after a fresh look, this often. */
const MAX_REFUSALS = 5;

export interface DeliveryRunOptions {
  readonly context: FleetContext;
  readonly operation: HeldOperation;
  readonly adapter: AgentAdapter;
  readonly session: Session;
  readonly plan: TypingPlan;
}

/**
 * Takes one delivery through its states; each is committed before the next step, so that whoever comes
 * after a crash goes on from what is known (docs/delivery.md has the table). Typed at most once, by
 * tmux's own word: the number that a paste leaves on the pane.
 */
export class DeliveryRun {
  readonly #options: DeliveryRunOptions;
  #delivery: Delivery;
  #beforeEnter: Observation | undefined;
  #refusals = 0;

  constructor(options: DeliveryRunOptions, delivery: Delivery) {
    this.#options = options;
    this.#delivery = delivery;
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  /** One attempt, without waiting for the agent to become ready. @returns Why it is not ready. */
  async advance(): Promise<Readiness> {
    while (!isSettled(this.#delivery)) {
      const { state } = this.#delivery;
      if (state === 'queued') {
        const ready = await this.#lookTwice();
        if (ready.kind !== 'ready') return ready;
        await this.#type();
      } else if (state === 'typing') await this.#findOutWhetherTyped();
      else if (state === 'typed') await this.#enterWhenShown();
      else await this.#awaitEvidence();
    }
    return { kind: 'ready' };
  }

  async #lookTwice(): Promise<Readiness> {
    const first = await this.#look();
    const verdict = this.#readiness(first);
    if (verdict.kind !== 'ready') return verdict;
    await this.#pause(LOOK_GAP_MS);
    const second = await this.#look();
    const again = this.#readiness(second);
    if (again.kind !== 'ready') return again;
    return sameLook(first, second) ? again : { kind: 'wait', reason: 'its screen is moving' };
  }

  async #type(): Promise<void> {
    const { operation, session } = this.#options;
    const number = operation.update((tx) => {
      const launch = tx.findLaunch(session.launch);
      if (!launch) throw new TypeError(`launch ${session.launch} has no row`);
      const next = launch.lastNumber + 1;
      tx.putLaunch({ ...launch, lastNumber: next });
      const typedAtMs = this.#options.context.clock.nowMs();
      tx.putDelivery(this.#changed({ state: 'typing', number: next, typedAtMs, enters: 0 }));
      return next;
    });
    this.#delivery = this.#changed({
      state: 'typing',
      number,
      typedAtMs: this.#options.context.clock.nowMs(),
      enters: 0,
    });
    crashPoint('delivery.4');
    await this.#paste(number);
  }

  async #paste(number: number): Promise<void> {
    const { context, session, plan } = this.#options;
    const result = await context.multiplexer.paste({
      paneId: session.tmux?.paneId ?? '',
      launchId: session.launch,
      number,
      text: plan.typed,
      bracketed: plan.via === 'paste',
    });
    crashPoint('delivery.5');
    if (result === 'done') return this.#save({ state: 'typed' });
    // Refused or gone: the pane itself knows whether this number was given to it.
    await this.#findOutWhetherTyped();
  }

  async #findOutWhetherTyped(): Promise<void> {
    const { context, session } = this.#options;
    const paneId = session.tmux?.paneId ?? '';
    const seen = await this.#look();
    if (!seen.pane) return this.#settleWithoutPane();
    const { number } = this.#delivery;
    const answer = await context.multiplexer.voidPaste(paneId, number);
    if (answer === 'gone') return this.#settleWithoutPane();
    if (answer === 'pasted') return this.#save({ state: 'typed' });
    this.#refusals++;
    if (this.#refusals > MAX_REFUSALS) {
      return this.#save({ state: 'refused', reason: 'tmux kept refusing to type' });
    }
    this.#save({ state: 'queued', number: 0, typedAtMs: null });
  }

  /** Step 7 and 8: Enter only while the composer shows our text and nothing of anybody else's. */
  async #enterWhenShown(): Promise<void> {
    crashPoint('delivery.6');
    const seen = await this.#awaitEcho();
    if (isSettled(this.#delivery)) return;
    if (!seen?.pane) return this.#settleWithoutPane();
    const { cursor } = seen.pane;
    this.#save({ cursor });
    this.#beforeEnter = seen;
    crashPoint('delivery.7');
    const enters = this.#delivery.enters + 1;
    const result = await this.#options.context.multiplexer.press({
      paneId: seen.pane.paneId,
      key: 'Enter',
      mark: this.#delivery.number * 10 + enters,
      cursor,
    });
    crashPoint('delivery.8');
    if (result === 'done') return this.#save({ state: 'entered', enters });
    this.#refusals++;
    if (this.#refusals > MAX_REFUSALS) {
      this.#save({ state: 'not-submitted', reason: 'the screen kept moving before Enter' });
    }
  }

  /** Waits until the composer holds our text and the card's pause is over. */
  async #awaitEcho(): Promise<Observation | undefined> {
    const { context, adapter, plan } = this.#options;
    const { clock } = context;
    const delay = plan.enterDelayMs ?? adapter.card.enterDelayMs;
    const notBefore = (this.#delivery.typedAtMs ?? 0) + delay;
    const deadline = clock.monotonicMs() + ECHO_TIMEOUT_MS;
    for (;;) {
      const seen = await this.#look();
      if (!seen.pane || !seen.agentAlive) return undefined;
      const mark = this.#delivery.number * 10;
      // Our Enter was pressed before a crash that lost the commit.
      if (seen.pane.pressed > mark + this.#delivery.enters) {
        this.#save({ state: 'entered', enters: seen.pane.pressed - mark });
        return this.#awaitEvidence().then(() => undefined);
      }
      if (this.#proveByHook(seen)) return undefined;
      const composer = seen.reading?.composer;
      const shown =
        composer?.mode === 'prompt' &&
        !seen.reading?.dialog &&
        seen.pane.mode === undefined &&
        adapter.composerHolds(composer, plan);
      if (shown && clock.nowMs() >= notBefore) return seen;
      if (!shown && clock.monotonicMs() >= deadline) {
        this.#giveUpUnentered(seen);
        return undefined;
      }
      await this.#pause(shown ? Math.max(10, notBefore - clock.nowMs()) : REDRAW_GAP_MS);
    }
  }

  #giveUpUnentered(seen: Observation): void {
    const composer = seen.reading?.composer;
    const reason = seen.reading?.dialog
      ? `a dialog (${seen.reading.dialog.rule.detail}) opened before Enter`
      : seen.pane?.mode !== undefined
        ? `the pane is in ${seen.pane.mode}`
        : composer?.empty
          ? 'vanished: the agent shows nothing of it'
          : 'the composer does not hold exactly this text';
    this.#save({ state: 'not-submitted', reason });
  }

  /** Step 9. */
  async #awaitEvidence(): Promise<void> {
    const { context, adapter, plan } = this.#options;
    const deadline = context.clock.monotonicMs() + adapter.card.evidenceTimeoutMs;
    for (;;) {
      const seen = await this.#look();
      if (this.#proveByHook(seen)) return;
      if (provenOnScreen(plan, this.#beforeEnter, seen)) {
        return this.#prove({ source: 'screen', event: null, at: isoNow(context.clock) });
      }
      if (!seen.pane || !seen.agentAlive) return this.#settleWithoutPane();
      const isOver = context.clock.monotonicMs() >= deadline;
      if (isOver || (await this.#becameNewline(seen))) return this.#enterAgainOrGiveUp(seen);
      await this.#waitForHook();
    }
  }

  /**
   * The Enter was taken into the draft: our text is still there, and has grown by white space only. Two
   * looks must agree; then there is nothing to wait for.
   */
  async #becameNewline(seen: Observation): Promise<boolean> {
    if (!this.#hasGrown(seen)) return false;
    await this.#pause(LOOK_GAP_MS);
    const again = await this.#look();
    return this.#hasGrown(again) && sameLook(seen, again) && !this.#proveByHook(again);
  }

  #hasGrown({ reading }: Observation): boolean {
    const { adapter, plan } = this.#options;
    const composer = reading?.composer;
    const before = this.#beforeEnter?.reading?.composer;
    if (!composer || !before || composer.text === before.text) return false;
    return adapter.composerHolds(composer, plan);
  }

  async #enterAgainOrGiveUp(seen: Observation): Promise<void> {
    const { context, adapter, plan, session } = this.#options;
    if (isSettled(this.#delivery)) return;
    const evidence = evidenceByTranscript(context, session, this.#delivery);
    if (evidence) return this.#prove(evidence);
    const composer = seen.reading?.composer;
    const holds =
      composer?.mode === 'prompt' && !seen.reading?.dialog && adapter.composerHolds(composer, plan);
    if (holds && this.#delivery.enters < MAX_ENTERS) return this.#save({ state: 'typed' });
    if (holds) {
      const reason = `typed, and Enter was swallowed ${MAX_ENTERS} times; the text is in the composer`;
      return this.#save({ state: 'not-submitted', reason });
    }
    if (this.#canTell(seen)) {
      const reason = 'vanished: the text left the composer and the agent did not take it';
      return this.#save({ state: 'not-submitted', reason });
    }
    this.#save({ state: 'unknown', reason: 'Enter was pressed and no evidence came' });
  }

  /** Hooks are in force in this launch and one would have come: its absence means something. */
  #canTell({ events }: Observation): boolean {
    const { plan } = this.#options;
    return (
      plan.evidence === 'hook' && events.some(({ fact }) => fact.kind === 'conversation-started')
    );
  }

  /** Pane, launch or server are gone: only spool and transcript can still prove anything. */
  async #settleWithoutPane(): Promise<void> {
    const { context, session } = this.#options;
    const seen = await this.#look();
    if (this.#proveByHook(seen)) return;
    const evidence = evidenceByTranscript(context, session, this.#delivery);
    if (evidence) return this.#prove(evidence);
    this.#save({
      state: 'unknown',
      reason: 'the agent ended, and nothing proves that it took the text',
    });
  }

  #proveByHook({ events }: Observation): boolean {
    const evidence = evidenceByHook(this.#options.context, this.#delivery, events);
    if (evidence) this.#prove(evidence);
    return evidence !== undefined;
  }

  #prove(evidence: DeliveryEvidence): void {
    this.#save({ state: 'submitted', evidence, reason: null });
  }

  #save(change: Partial<Delivery>): void {
    const changed = this.#changed(change);
    this.#options.operation.update((tx) => tx.putDelivery(changed));
    this.#delivery = changed;
  }

  #changed(change: Partial<Delivery>): Delivery {
    return { ...this.#delivery, ...change, updatedAt: isoNow(this.#options.context.clock) };
  }

  #readiness(seen: Observation): Readiness {
    return readiness(seen, this.#options.context.clock.nowMs());
  }

  #look(): Promise<Observation> {
    return observeSession(this.#options.context, this.#options.session);
  }

  async #waitForHook(): Promise<void> {
    const { context, session } = this.#options;
    const folder = `${context.workspace.stateFolder}/run/${session.launch}/spool`;
    await context.files.waitForChange(folder, REDRAW_GAP_MS, context.signal);
  }

  #pause(ms: number): Promise<void> {
    return this.#options.context.clock.sleep(ms, this.#options.context.signal);
  }
}
