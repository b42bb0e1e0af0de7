import type { Clock } from '../../src/ports/clock.ts';

interface Sleeper {
  readonly untilMs: number;
  wake(): void;
}

/** Time that goes on only when a test says so. */
export class ManualClock implements Clock {
  #steadyMs = 0;
  #wallMs = 1_800_000_000_000;
  readonly #sleepers = new Set<Sleeper>();

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#steadyMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = {
        untilMs: this.#steadyMs + ms,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Both clocks go on; whoever slept until then runs, one after another, as far as it comes. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#steadyMs + ms;
    for (;;) {
      await settled();
      const next = [...this.#sleepers].sort((a, b) => a.untilMs - b.untilMs)[0];
      if (!next || next.untilMs > endMs) break;
      this.#move(Math.max(0, next.untilMs - this.#steadyMs));
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#move(endMs - this.#steadyMs);
    await settled();
  }

  /** As after SIGSTOP: the time has gone, and timers that were due come all at once. */
  async freeze(ms: number): Promise<void> {
    this.#move(ms);
    await this.advance(0);
  }

  /** As after a suspend, or a person who sets the clock: only the time of day changes. */
  setWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  #move(ms: number): void {
    this.#steadyMs += ms;
    this.#wallMs += ms;
  }
}

/** Everything that can go on without time has gone on. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
