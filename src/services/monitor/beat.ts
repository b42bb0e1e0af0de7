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
      await this.#turn(isFirst);
      const before = this.#time();
      await this.#rest(before.steadyMs, signal);
      isFirst = this.#wasPaused(before);
    }
  }

  async #rest(fromMs: number, signal: AbortSignal): Promise<void> {
    const { gapMs, periodMs } = this.#options;
    await this.#sleep(gapMs, signal);
    const restMs = fromMs + periodMs - this.#clock.monotonicMs();
    if (this.#isWoken || signal.aborted || restMs <= 0) return;
    this.#alarm = new AbortController();
    await this.#sleep(restMs, AbortSignal.any([signal, this.#alarm.signal]));
    this.#alarm = undefined;
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #time() {
    return { wallMs: this.#clock.nowMs(), steadyMs: this.#clock.monotonicMs() };
  }

  /** Stopped: the steady clock went on. Asleep: only the wall clock did. Set: the wall clock jumped. */
  #wasPaused(before: { readonly wallMs: number; readonly steadyMs: number }): boolean {
    const steadyMs = this.#clock.monotonicMs() - before.steadyMs;
    const wallMs = this.#clock.nowMs() - before.wallMs;
    const isLate = steadyMs > this.#options.periodMs + PAUSE_MS;
    return isLate || Math.abs(wallMs - steadyMs) > PAUSE_MS;
  }
}
