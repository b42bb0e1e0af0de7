/** Time, so that tests can advance it. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds that only grow, unaffected by clock changes. */
  monotonicMs(): number;
  /** Rejects with `signal.reason` when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** ISO 8601 of a clock's now. */
export function isoNow(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
