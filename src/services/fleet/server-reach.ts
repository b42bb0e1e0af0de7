import { MamError } from '../../domain/errors.ts';
import type { TmuxServerRecord } from '../../domain/session.ts';
import type { FleetContext, ReadContext } from './context.ts';
import { canSeePids } from './here.ts';
import { serverState } from './life.ts';

/** How long a server may take to listen again after it was told to. Milliseconds. */
const SOCKET_TIMEOUT_MS = 2_000;
const LOOK_GAP_MS = 50;

/** Our recorded tmux server, when its process lives now. The socket file alone proves nothing. */
export function livingServer(
  context: Pick<ReadContext, 'readRegistry' | 'processes'>,
): TmuxServerRecord | undefined {
  const record = context.readRegistry((reader) => reader.tmuxServer());
  if (!record || !canSeePids(context, record)) return undefined;
  return context.processes.isAlive(record.process) ? record : undefined;
}

/**
 * Before a server is started: one that lives was started by a tmux that could be used.
 *
 * @throws {MamError} `tmux.too-old`, `tmux.missing`.
 */
export async function assertUsableTmux(context: FleetContext): Promise<void> {
  if (!livingServer(context)) await context.multiplexer.assertUsable();
}

/**
 * A server that lives without its socket cannot be seen: a second one must not be started in its place,
 * or the agents of the first would be lost.
 *
 * @throws {MamError} `tmux.unreachable`
 */
export function assertReachable(
  context: Pick<ReadContext, 'readRegistry' | 'processes' | 'files' | 'multiplexer'>,
  attempt: string,
): void {
  const isSocket = context.files.stat(context.multiplexer.socket)?.kind === 'other';
  if (!isSocket && livingServer(context)) {
    throw serverUnreachable(context, attempt);
  }
}

/** @param attempt - For example `resume "api"`. */
export function serverUnreachable(
  context: Pick<ReadContext, 'readRegistry' | 'processes' | 'multiplexer'>,
  attempt: string,
): MamError {
  const { socket } = context.multiplexer;
  const pid = livingServer(context)?.process.pid;
  return new MamError(
    'tmux.unreachable',
    `Cannot ${attempt}: the tmux server (pid ${pid ?? 'unknown'}) lives but its socket ${socket} is missing, so its agents may still run.`,
    { socket, server_pid: pid ?? null },
    { hint: `kill -USR1 ${pid ?? 'PID'} makes it create the socket again` },
  );
}

/** Makes our own server listen again. @returns Whether it answers now. */
export async function restoreSocket(context: FleetContext): Promise<boolean> {
  const { multiplexer, processes, clock } = context;
  const record = livingServer(context);
  if (!record) return false;
  processes.signal(record.process, 'SIGUSR1');
  const deadline = clock.monotonicMs() + SOCKET_TIMEOUT_MS;
  for (;;) {
    const look = await multiplexer.look([]);
    if (serverState(context, look, record, true) === 'up') return true;
    if (clock.monotonicMs() >= deadline) return false;
    await clock.sleep(LOOK_GAP_MS, context.signal);
  }
}
