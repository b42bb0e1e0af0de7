import { setInterval } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Waits for an event that can only be looked for: resolves with the first value that is neither
 * `undefined` nor `false`.
 *
 * @throws {Error} naming `what` after `deadlineMs`, default 20 s.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 20_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for await (const _ of setInterval(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) break;
  }
  throw new Error(`never happened within ${deadlineMs} ms: ${what}`);
}
