import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Larger than this, it becomes `<path>.1`. Bytes. */
const MAX_BYTES = 1_000_000;

/** Warnings as lines with their time, for its owner only; one former file is kept. */
export function logFile(path: string, clock: Clock): Logger {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const write = (text: string, details?: Readonly<Record<string, unknown>>) => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(path, `${path}.1`);
    const more = details ? ` ${JSON.stringify(details)}` : '';
    const at = new Date(clock.nowMs()).toISOString();
    appendFileSync(path, `${at} ${text}${more}\n`, { mode: 0o600 });
  };
  return { warn: write, debug: () => undefined };
}
