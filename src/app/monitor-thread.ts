import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, MamError } from '../domain/errors.ts';
import type { MonitorHealth } from '../services/monitor/monitor.ts';

/** What the thread is given. */
export interface MonitorRequest {
  /** The workspace's `.mam`, absolute. */
  readonly workspace: string;
}

/** What it says: how it is after each turn; why it could not go on. */
export type MonitorMessage =
  | { readonly kind: 'turn'; readonly health: MonitorHealth }
  | { readonly kind: 'failed'; readonly error: PlainError };

/** An error of ours as it crosses a thread; classes do not. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly hint: string | undefined;
}

/**
 * Runs the monitor in a thread of its own until the signal: what this one does (the broker, the state
 * file, signals) never waits for the registry's lock.
 *
 * @param program - The thread's bundle, absolute.
 */
export async function runMonitorThread(
  program: string,
  request: MonitorRequest,
  { signal, onTurn }: { signal: AbortSignal; onTurn: (health: MonitorHealth) => void },
): Promise<void> {
  const worker = new Worker(program, { workerData: request });
  let failure: MamError | undefined;
  worker.on('message', (message: MonitorMessage) => {
    if (message.kind === 'turn') onTurn(message.health);
    else failure = revived(message.error);
  });
  const end = () => worker.postMessage('end');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    // Rejects with what the thread threw and did not tell.
    await once(worker, 'exit');
  } finally {
    signal.removeEventListener('abort', end);
  }
  if (failure) throw failure;
}

function revived({ code, message, details, hint }: PlainError): MamError {
  return new MamError(code, message, details, hint === undefined ? {} : { hint });
}
