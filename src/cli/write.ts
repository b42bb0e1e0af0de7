import { writeSync } from 'node:fs';

const STDOUT = 1;
const STDERR = 2;
/** A reader that is slower than we are: milliseconds until the next try. */
const FULL_PIPE_MS = 5;

let nobodyReads = false;

/** Whether a write found that the reader of standard output has gone. */
export function isReaderGone(): boolean {
  return nobodyReads;
}

/**
 * Writes to standard output at once. The stream of `process.stdout` would load node's network code
 * first, a fifth of the time of `mam status`.
 */
export function writeOut(text: string): void {
  writeAll(STDOUT, text);
}

export function writeErr(text: string): void {
  writeAll(STDERR, text);
}

/** A closed pipe ends quietly: `mam status | head -1`. */
function writeAll(handle: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(handle, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') {
        nobodyReads ||= handle === STDOUT;
        return;
      }
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
  }
}
