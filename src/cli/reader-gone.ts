import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';

const STDOUT = 1;
/** How often it looks. */
const LOOK_EVERY_S = '0.2';

export interface OutputWatch extends Disposable {
  /** Aborted when the reader of our standard output has gone. */
  readonly signal: AbortSignal;
}

/**
 * Tells at once that nobody reads standard output any more, while nothing is written to it.
 *
 * node polls a pipe only when it is full. GNU tail polls its own output, and ends by SIGPIPE; where there
 * is none, the next write tells.
 *
 * @see tail(1) of coreutils 8.28 or later, `-f`; it ends with us by `--pid`.
 */
export function watchOutput(): OutputWatch {
  const gone = new AbortController();
  if (!fstatSync(STDOUT).isFIFO())
    return { signal: gone.signal, [Symbol.dispose]: () => undefined };
  const args = ['-s', LOOK_EVERY_S, `--pid=${process.pid}`, '-f', '/dev/null'];
  const tail = spawn('tail', args, { stdio: ['ignore', STDOUT, 'ignore'] });
  tail.on('error', () => undefined);
  tail.on('exit', (_, signal) => {
    if (signal === 'SIGPIPE') gone.abort(new Error('nobody reads standard output any more'));
  });
  tail.unref();
  return { signal: gone.signal, [Symbol.dispose]: () => void tail.kill() };
}
