import { crashPoint } from '../../../base/crash-point.ts';
import type { Delivery, DeliveryEvidence } from '../../../domain/delivery.ts';
import { isSettled } from '../../../domain/delivery.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../../ports/agent-adapter.ts';
import { isoNow } from '../../../ports/clock.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import type { FleetContext } from '../context.ts';
import { takeNumber } from '../dialogs.ts';
import { type Observation, observeSession } from '../observe.ts';
import type { HeldOperation } from '../operations.ts';
import { findEvidence, unproven } from './bygone.ts';
import { evidenceByHook, evidenceByTranscript, provenOnScreen, tellsByHooks } from './evidence.ts';
import {
  type Obstacle,
  obstacle,
  type Readiness,
  readiness,
  sameLook,
  screenHolds,
  UNREACHABLE,
} from './readiness.ts';

/** Between two looks that must be equal, and between looks that wait for a redraw. Milliseconds. */
const LOOK_GAP_MS = 100;
const REDRAW_GAP_MS = 60;
/** How long the composer may take to show what was typed. A 1 MiB paste takes most of a second. */
const ECHO_TIMEOUT_MS = 5_000;
const ECHO_BYTES_PER_MS = 100;
/** Evidence that is already under way may still come after the agent ended. */
const LAST_WORDS_MS = 1_000;
/** Enter is pressed at most this often for one delivery. */
const MAX_ENTERS = 3;
/** Marks of a number are 10 N + k: k has one digit. */
const MARKS = 10;
/** Commands refused by their guard are tried again after a fresh look, this often. */
const MAX_REFUSALS = 5;

export interface DeliveryRunOptions {
  readonly context: FleetContext;
  readonly operation: HeldOperation;
  readonly adapter: AgentAdapter;
  readonly session: Session;
  readonly plan: TypingPlan;
}

/** What a wait for the composer ended with. */
type Echo = { readonly kind: 'shown'; readonly seen: Observation } | { readonly kind: 'moved-on' };

/**
 * Takes one delivery through its states; each is committed before the next step, so that whoever comes
 * after a crash goes on from what is known (docs/delivery.md has the table). Typed at most once, by
 * tmux's own word: the number that a paste leaves on the pane.
 *
 * From the first typed character on it goes on to the end, a few seconds at most, whatever the caller's
 * signal says: a text left in the composer would be in everybody's way.
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

  /**
   * One attempt, without waiting for the agent to become ready.
   *
   * @returns `ready` when the delivery is settled, else what is in the way; then it can be gone on with.
   */
  async advance(): Promise<Readiness> {
    while (!isSettled(this.#delivery)) {
      const inTheWay = await this.#step();
      if (inTheWay) return inTheWay;
    }
    return { kind: 'ready' };
  }

  #step(): Promise<Obstacle | undefined> {
    switch (this.#delivery.state) {
      case 'queued':
        return this.#typeWhenReady();
      case 'typing':
        return this.#findOutWhetherTyped();
      case 'typed':
        return this.#enterWhenShown();
      default:
        return this.#awaitEvidence();
    }
  }

  /** Steps 3 and 4. */
  async #typeWhenReady(): Promise<Obstacle | undefined> {
    const first = await this.#look();
    const verdict = this.#readiness(first);
    if (verdict.kind === 'refused' && verdict.reason === 'draft' && this.#isLeftInComposer(first)) {
      // What is repeated is still there: it needs Enter only.
      return this.#save({
        state: 'typed',
        number: takeNumber(this.#options.operation, this.#options.session),
        typedAtMs: this.#options.context.clock.nowMs(),
      });
    }
    if (verdict.kind !== 'ready') return verdict;
    const { clock, signal } = this.#options.context;
    await clock.sleep(LOOK_GAP_MS, signal);
    const second = await this.#look();
    const again = this.#readiness(second);
    if (again.kind !== 'ready') return again;
    if (!sameLook(first, second)) return { kind: 'wait', reason: 'its screen is moving' };
    signal.throwIfAborted();
    return this.#type(second);
  }

  #isLeftInComposer(seen: Observation): boolean {
    const { context, adapter, plan } = this.#options;
    const { againOf, launch } = this.#delivery;
    const former =
      againOf === null ? undefined : context.registry.read((tx) => tx.findDelivery(againOf));
    return (
      former?.state === 'not-submitted' &&
      former.launch === launch &&
      former.cursor?.x === seen.pane?.cursor.x &&
      former.cursor?.y === seen.pane?.cursor.y &&
      screenHolds(seen, adapter, plan)
    );
  }

  async #type(seen: Observation): Promise<Obstacle | undefined> {
    const { context, operation, session, plan } = this.#options;
    crashPoint('delivery.3');
    const number = takeNumber(operation, session);
    this.#save({ state: 'typing', number, typedAtMs: context.clock.nowMs(), enters: 0 });
    crashPoint('delivery.4');
    const result = await context.multiplexer.paste({
      paneId: session.tmux?.paneId ?? '',
      launchId: session.launch,
      number,
      text: plan.typed,
      bracketed: plan.via === 'paste',
      // A dialog that opened since the look has moved it.
      ...(seen.pane ? { cursor: seen.pane.cursor } : {}),
    });
    crashPoint('delivery.5');
    if (result === 'done') return this.#save({ state: 'typed' });
    // Refused or gone: the pane itself knows whether this number was given to it.
    return this.#findOutWhetherTyped();
  }

  async #findOutWhetherTyped(): Promise<Obstacle | undefined> {
    const { context, session } = this.#options;
    const seen = await this.#look();
    if (seen.server === 'unreachable') return UNREACHABLE;
    if (!seen.pane) return this.#settleWithoutAgent('its pane is gone');
    const { number } = this.#delivery;
    const answer = await context.multiplexer.voidPaste(session.tmux?.paneId ?? '', number);
    if (answer === 'gone') return this.#settleWithoutAgent('its pane went away');
    if (answer === 'pasted') return this.#save({ state: 'typed' });
    this.#save({ state: 'queued', number: 0, typedAtMs: null });
    this.#refusals++;
    if (this.#refusals <= MAX_REFUSALS) return undefined;
    return { kind: 'wait', reason: 'tmux kept refusing to type' };
  }

  /** Steps 7 and 8: Enter only while the composer shows our text and nothing of anybody else's. */
  async #enterWhenShown(): Promise<Obstacle | undefined> {
    crashPoint('delivery.6');
    const echo = await this.#awaitEcho();
    if (echo.kind === 'moved-on') return undefined;
    if (echo.kind !== 'shown') return echo;
    const { seen } = echo;
    const cursor = seen.pane?.cursor ?? { x: 0, y: 0 };
    this.#save({ cursor });
    this.#beforeEnter = seen;
    crashPoint('delivery.7');
    const enters = this.#delivery.enters + 1;
    const result = await this.#options.context.multiplexer.press({
      paneId: seen.pane?.paneId ?? '',
      launchId: this.#options.session.launch,
      key: 'Enter',
      mark: this.#delivery.number * MARKS + enters,
      cursor,
    });
    crashPoint('delivery.8');
    if (result === 'done') return this.#save({ state: 'entered', enters });
    this.#refusals++;
    if (this.#refusals <= MAX_REFUSALS) return undefined;
    return { kind: 'wait', reason: 'its screen kept moving before Enter' };
  }

  /** Waits until the composer holds our text and the card's pause is over. */
  async #awaitEcho(): Promise<Echo | Obstacle> {
    const { context, adapter, plan } = this.#options;
    const { clock } = context;
    const delay = plan.enterDelayMs ?? adapter.card.enterDelayMs;
    const notBefore = (this.#delivery.typedAtMs ?? 0) + delay;
    const sizeMs = Buffer.byteLength(plan.typed) / ECHO_BYTES_PER_MS;
    const deadline = clock.monotonicMs() + ECHO_TIMEOUT_MS + sizeMs;
    for (;;) {
      const seen = await this.#look();
      if (seen.server === 'unreachable') return UNREACHABLE;
      const gone = whyGone(seen);
      if (gone) await this.#settleWithoutAgent(gone);
      if (isSettled(this.#delivery) || this.#proveByHook(seen)) return MOVED_ON;
      if (this.#noticeOtherEnters(seen)) return MOVED_ON;
      const shown = screenHolds(seen, adapter, plan);
      if (shown && clock.nowMs() >= notBefore) return { kind: 'shown', seen };
      // Nobody but a person closes a dialog: what was typed waits for it without us.
      const inTheWay = seen.reading?.dialog && obstacle(seen);
      if (inTheWay && (await this.#standsStill(seen))) return inTheWay;
      if (!shown && clock.monotonicMs() >= deadline) return this.#giveUpUnentered(seen);
      await clock.sleep(shown ? Math.max(10, notBefore - clock.nowMs()) : REDRAW_GAP_MS);
    }
  }

  /** What was pressed before a crash that lost the commit, and what others pressed since. */
  #noticeOtherEnters({ pane }: Observation): boolean {
    const { number, enters } = this.#delivery;
    const k = (pane?.pressed ?? 0) - number * MARKS;
    if (k >= MARKS) {
      // A dialog was answered meanwhile: our marks are used up, so Enter gets a new number.
      this.#save({ number: takeNumber(this.#options.operation, this.#options.session), enters: 0 });
      return true;
    }
    if (k <= enters) return false;
    this.#save({ state: 'entered', enters: k });
    return true;
  }

  #giveUpUnentered(seen: Observation): Echo | Obstacle {
    const inTheWay = obstacle(seen);
    if (inTheWay) return inTheWay;
    const reason = seen.reading?.composer?.empty
      ? 'vanished: the agent shows nothing of it'
      : 'the composer does not hold exactly this text';
    this.#save({ state: 'not-submitted', reason });
    return MOVED_ON;
  }

  /** Step 9. */
  async #awaitEvidence(): Promise<Obstacle | undefined> {
    crashPoint('delivery.9');
    const { context, session, adapter, plan } = this.#options;
    const spool = workspacePaths.spool(context.workspace, session.launch);
    const deadline = context.clock.monotonicMs() + adapter.card.evidenceTimeoutMs;
    for (;;) {
      const seen = await this.#look();
      if (this.#proveByHook(seen)) return undefined;
      if (plan.evidence === 'screen' && this.#proveOnScreen(seen)) return undefined;
      if (seen.server === 'unreachable') return UNREACHABLE;
      const gone = whyGone(seen);
      if (gone) return this.#settleWithoutAgent(gone);
      const isOver = context.clock.monotonicMs() >= deadline;
      if (isOver || (await this.#becameNewline(seen))) return this.#judgeAfterEnter(seen);
      await context.files.waitForChange(spool, REDRAW_GAP_MS);
    }
  }

  /**
   * The Enter was taken into the draft: our text is still there, and has grown by white space only. Two
   * looks must agree; then there is nothing to wait for.
   */
  async #becameNewline(seen: Observation): Promise<boolean> {
    const { adapter, plan } = this.#options;
    const before = this.#beforeEnter?.reading?.composer?.text;
    const now = seen.reading?.composer?.text;
    if (before === undefined || before === now || !screenHolds(seen, adapter, plan)) return false;
    return this.#standsStill(seen);
  }

  /** No evidence came: the transcript, then the composer must tell why. */
  async #judgeAfterEnter(seen: Observation): Promise<Obstacle | undefined> {
    const { context, adapter, plan, session } = this.#options;
    if (isSettled(this.#delivery)) return undefined;
    const evidence = evidenceByTranscript(context, session, this.#delivery);
    if (evidence) return this.#prove(evidence);
    if (this.#proveOnScreen(seen)) return undefined;
    const inTheWay = obstacle(seen);
    if (inTheWay) return inTheWay;
    if (screenHolds(seen, adapter, plan)) return this.#enterAgain(seen);
    // It may be in the agent's own queue: its hook comes when that turn begins.
    if (seen.reading?.state === 'working') return { kind: 'wait', reason: 'working' };
    const isGone = plan.evidence === 'hook' && tellsByHooks(seen) && seen.reading?.composer?.empty;
    return isGone
      ? this.#save({ state: 'not-submitted', reason: LOST })
      : this.#save({ state: 'unknown', reason: 'Enter was pressed and no evidence came' });
  }

  #enterAgain(seen: Observation): undefined {
    if (this.#delivery.enters < MAX_ENTERS) return this.#save({ state: 'typed' });
    const reason = `typed, and Enter was swallowed ${MAX_ENTERS} times; the text is in the composer`;
    return this.#save({ state: 'not-submitted', reason, cursor: seen.pane?.cursor ?? null });
  }

  /** Pane, launch or agent are gone: only spool and transcript can still prove anything. */
  async #settleWithoutAgent(why: string): Promise<undefined> {
    const { context, session } = this.#options;
    const { clock } = context;
    const deadline = clock.monotonicMs() + LAST_WORDS_MS;
    for (;;) {
      const evidence =
        findEvidence(context, session, this.#delivery) ?? (await this.#quitEvidence());
      if (evidence) return this.#prove(evidence);
      if (clock.monotonicMs() >= deadline) break;
      await clock.sleep(REDRAW_GAP_MS);
    }
    return this.#save({ state: 'unknown', reason: unproven(why) });
  }

  /** A command after which the agent ended well by itself. */
  async #quitEvidence(): Promise<DeliveryEvidence | undefined> {
    const { state, kind } = this.#delivery;
    if (state !== 'entered' || kind !== 'command') return undefined;
    const { exit } = await this.#look();
    if (exit?.status !== 0) return undefined;
    return { source: 'screen', event: null, at: new Date(exit.atMs).toISOString() };
  }

  #proveByHook({ events }: Observation): boolean {
    const evidence = evidenceByHook(this.#options.context, this.#delivery, events);
    if (evidence) this.#prove(evidence);
    return evidence !== undefined;
  }

  #proveOnScreen(seen: Observation): boolean {
    const isProven = provenOnScreen(this.#options.plan, this.#beforeEnter, seen);
    const at = isoNow(this.#options.context.clock);
    if (isProven) this.#prove({ source: 'screen', event: null, at });
    return isProven;
  }

  #prove(evidence: DeliveryEvidence): undefined {
    crashPoint('delivery.10');
    return this.#save({ state: 'submitted', evidence, reason: null });
  }

  async #standsStill(seen: Observation): Promise<boolean> {
    await this.#options.context.clock.sleep(LOOK_GAP_MS);
    const again = await this.#look();
    return sameLook(seen, again) && !this.#proveByHook(again);
  }

  #save(change: Partial<Delivery>): undefined {
    const { context, operation } = this.#options;
    const changed = { ...this.#delivery, ...change, updatedAt: isoNow(context.clock) };
    operation.update((tx) => tx.putDelivery(changed));
    this.#delivery = changed;
  }

  #readiness(seen: Observation): Readiness {
    return readiness(seen, this.#options.context.clock.nowMs());
  }

  #look(): Promise<Observation> {
    return observeSession(this.#options.context, this.#options.session);
  }
}

const MOVED_ON = { kind: 'moved-on' } as const;
const LOST = 'vanished: the text left the composer and the agent did not take it';

function whyGone({ pane, agentAlive }: Observation): string | undefined {
  if (!pane) return 'its pane is gone';
  return agentAlive ? undefined : 'the agent ended';
}
