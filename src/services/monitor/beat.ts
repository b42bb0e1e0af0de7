import type { Clock } from '../../ports/clock.ts';

export interface BeatOptions {
  /** The longest time from the end of one turn to the next. Milliseconds. */
  readonly periodMs: number;
  /** The shortest: what wakes us more often is answered by one turn. Milliseconds. */
  readonly gapMs: number;
}

/** `isFirst`: at the start, and after a pause of the machine or of this process. */
export type Turn = (isFirst: boolean) => Promise<void>;

/** A pause is told from a late timer by this much. Milliseconds. */
const PAUSE_MS = 5_000;
/** A turn that takes this long was stopped in the middle, or is so slow that the world has changed. */
const LONGEST_TURN_MS = 10_000;

/**
 * Runs a turn at least once a period, and soon after it is woken. Turns never overlap; what woke us during
 * one is answered by one more; turns that were due while we could not run are dropped.
 */
export class Beat {
  readonly #clock: Clock;
  readonly #options: BeatOptions;
  readonly #turn: Turn;
  #isWoken = false;
  #alarm: AbortController | undefined;

  constructor(clock: Clock, options: BeatOptions, turn: Turn) {
    this.#clock = clock;
    this.#options = options;
    this.#turn = turn;
  }

  /** Something has changed. */
  wake(): void {
    this.#isWoken = true;
    this.#alarm?.abort();
  }

  /** Until the signal; what a turn throws ends it. */
  async run(signal: AbortSignal): Promise<void> {
    let isFirst = true;
    while (!signal.aborted) {
      this.#isWoken = false;
      const before = timeOf(this.#clock);
      await this.#turn(isFirst);
      const restFromMs = this.#clock.monotonicMs();
      await this.#rest(restFromMs, signal);
      isFirst = this.#wasPaused(before, restFromMs);
    }
  }

  async #rest(fromMs: number, signal: AbortSignal): Promise<void> {
    const { gapMs, periodMs } = this.#options;
    await this.#sleep(gapMs, signal);
    const restMs = fromMs + periodMs - this.#clock.monotonicMs();
    if (this.#isWoken || signal.aborted || restMs <= 0) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    const onEnd = () => alarm.abort();
    signal.addEventListener('abort', onEnd, { once: true });
    await this.#sleep(restMs, alarm.signal);
    signal.removeEventListener('abort', onEnd);
    this.#alarm = undefined;
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #wasPaused(before: Moment, restFromMs: number): boolean {
    const isLate =
      this.#clock.monotonicMs() - restFromMs > this.#options.periodMs + PAUSE_MS ||
      restFromMs - before.steadyMs > LONGEST_TURN_MS;
    return isLate || hasJumped(this.#clock, before);
  }
}

export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export function timeOf(clock: Clock): Moment {
  return { wallMs: clock.nowMs(), steadyMs: clock.monotonicMs() };
}

/** Whether a turn that began then was stopped in the middle: what it has seen may be over. */
export function wasHeldUp(clock: Clock, before: Moment): boolean {
  return clock.monotonicMs() - before.steadyMs > LONGEST_TURN_MS || hasJumped(clock, before);
}

/** Asleep: only the wall clock went on. Set: it jumped. */
function hasJumped(clock: Clock, { wallMs, steadyMs }: Moment): boolean {
  const passedMs = clock.monotonicMs() - steadyMs;
  return Math.abs(clock.nowMs() - wallMs - passedMs) > PAUSE_MS;
}
