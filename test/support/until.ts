import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** A look that starts processes must not take the processor from what it waits for: it rests twice as long. */
const REST = 2;

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
  for (;;) {
    const began = performance.now();
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const now = performance.now();
    if (now > end) break;
    await setTimeout(Math.max(LOOK_EVERY_MS, REST * (now - began)));
  }
  throw new Error(`never happened within ${deadlineMs} ms: ${what}`);
}
