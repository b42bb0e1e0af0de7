import type { Session, SessionStatus } from '../../domain/session.ts';
import { afterwards } from './afterwards.ts';
import type { FleetContext } from './context.ts';
import { endEmptyServer } from './empty-server.ts';
import { assertHere } from './here.ts';
import { beginOperation, letGo } from './operations.ts';
import { type PurgeReport, purge } from './purge.ts';
import { endLeftovers, Stopping } from './stopping.ts';

export type EndedBy = 'exit' | 'term' | 'kill-session' | 'signal';

export interface StopRequest {
  /** How long the agent's own word may take; 0: TERM at once. */
  readonly graceMs: number;
  readonly purge: boolean;
}

export interface StopReport {
  readonly session: Session;
  /** Which stage was enough; null when there was nothing to end. */
  readonly endedBy: EndedBy | null;
  /** How far "nothing is left" is proven; null when it was not running. */
  readonly proof: 'subreaper' | 'trace' | null;
  readonly survivors: readonly StoppedProcess[];
  /** Met and left alone, with the reason. */
  readonly left: readonly StoppedProcess[];
  /** The agent was alive when we came. */
  readonly wasRunning: boolean;
  /** What it was recorded as before. */
  readonly formerStatus: SessionStatus;
  readonly purge: PurgeReport | null;
}

export interface StoppedProcess {
  readonly pid: number;
  readonly cmd: string;
  readonly reason?: 'shared';
}

/**
 * Ends a session's processes and says how far that is proven. Twice-safe: one that is not running is
 * reported as such, and what its launch left behind is ended too.
 *
 * An abort leaves it running, or half ended; the next stop goes on.
 *
 * @throws {MamError} `session.busy`, `session.wrong-state` when it runs on another machine.
 */
export async function stop(
  context: FleetContext,
  session: Session,
  request: StopRequest,
): Promise<StopReport> {
  assertHere(context, session, 'stop');
  // A purge of a running session is a stop first: it takes over from a delivery that waits.
  const kind = request.purge && session.status !== 'running' ? 'purge' : 'stop';
  const operation = beginOperation(context, session, kind);
  try {
    const found = context.registry.read((reader) => reader.findSessionById(session.id));
    const current = found ?? session;
    const report =
      current.status === 'running'
        ? await new Stopping(context, operation, current).run(request.graceMs)
        : await endLeftovers(context, operation, current);
    const told = { ...report, formerStatus: report.session.status };
    if (!request.purge || report.survivors.length > 0) return told;
    return { ...told, ...(await purge(context, operation, report.session)) };
  } finally {
    await letGo(context, session, operation);
    await afterwards(context, 'The tmux server could not be looked after', () =>
      endEmptyServer(context),
    );
  }
}
