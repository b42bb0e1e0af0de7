import { parentPort, workerData } from 'node:worker_threads';
import type { MonitorMessage, MonitorRequest } from '../app/monitor-thread.ts';
import { watchFleet } from '../app/watch-fleet.ts';
import { isMamError } from '../domain/errors.ts';

/** The monitor's thread: watches until it is told to end. */
async function main(): Promise<void> {
  if (!parentPort) throw new TypeError('This is no program: mam monitor run starts it.');
  const port = parentPort;
  const { workspace } = workerData as MonitorRequest;
  const tell = (message: MonitorMessage) => port.postMessage(message);
  const ending = new AbortController();
  port.on('message', () => ending.abort());
  try {
    await watchFleet({ workspace, signal: ending.signal }, (health) =>
      tell({ kind: 'turn', health }),
    );
  } catch (error) {
    if (!isMamError(error)) throw error;
    const { code, message, details, hint } = error;
    tell({ kind: 'failed', error: { code, message, details, hint } });
  } finally {
    port.close();
  }
}

void main();
