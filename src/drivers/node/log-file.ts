import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { visibleLine } from '../../base/visible.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Larger than this, it becomes `<path>.1`. Bytes. */
const MAX_BYTES = 1_000_000;

/**
 * Warnings as lines with their time, for its owner only; one former file is kept. What is said never fails
 * who says it: how much could not be written stands in the first line that can.
 */
export function logFile(path: string, clock: Clock): Logger {
  let lost = 0;
  const write = (text: string) => {
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MAX_BYTES) renameSync(path, `${path}.1`);
      else mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const missing = lost === 0 ? '' : `(${lost} lines before this one could not be written) `;
      const at = new Date(clock.nowMs()).toISOString();
      appendFileSync(path, `${at} ${missing}${visibleLine(text)}\n`, { mode: 0o600 });
      lost = 0;
    } catch {
      lost++;
    }
  };
  return {
    warn: (text, details) => write(details ? `${text} ${JSON.stringify(details)}` : text),
    debug: () => undefined,
  };
}
