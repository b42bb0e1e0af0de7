import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock.ts';

/** Time that goes on by itself, as fast as whoever sleeps can run: nobody really waits. */
export class FastClock implements Clock {
  #ms = 0;

  nowMs(): number {
    return 1_800_000_000_000 + this.#ms;
  }

  monotonicMs(): number {
    return this.#ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // Whatever has come from outside meanwhile is taken in first.
    await setImmediate();
    if (signal?.aborted) throw signal.reason;
    this.#ms += ms;
  }
}
