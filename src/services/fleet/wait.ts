import type { ActivityState } from '../../domain/activity.ts';
import { MamError } from '../../domain/errors.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { ReadContext } from './context.ts';
import { type FleetStatus, fleetStatus } from './status.ts';

const LOOK_GAP_MS = 200;

export interface WaitRequest {
  /** `changed` is every other activity than the one at the beginning. */
  readonly until: ActivityState | 'changed';
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Looks until the session's activity is the wanted one. @throws {MamError} `wait.timeout` (8) */
export async function waitForActivity(
  context: ReadContext,
  name: string,
  { until, timeoutMs, signal }: WaitRequest,
): Promise<FleetStatus> {
  const deadline = context.clock.monotonicMs() + timeoutMs;
  let first: ActivityState | undefined;
  for (;;) {
    const status = await fleetStatus(context, name);
    const [view] = status.sessions;
    const state = view?.activity.state;
    const isReached =
      until === 'changed' ? first !== undefined && state !== first : state === until;
    if (isReached || !view) return status;
    first ??= state;
    if (context.clock.monotonicMs() >= deadline) {
      throw new MamError(
        'wait.timeout',
        `Session "${name}" is ${state}, not ${until}, after ${Math.round(timeoutMs / 1000)} s.`,
        { session: name, state },
      );
    }
    const spool = workspacePaths.spool(context.workspace, view.session.launch);
    await context.files.waitForChange(spool, LOOK_GAP_MS, signal);
  }
}

/** The status now, and again whenever an activity or a status is another; until aborted. */
export async function* watchStatus(
  context: ReadContext,
  name: string | undefined,
  signal: AbortSignal,
): AsyncIterable<FleetStatus> {
  let last = '';
  for (;;) {
    const status = await fleetStatus(context, name);
    const picture = JSON.stringify(
      status.sessions.map(({ session, activity }) => [session.id, session.status, activity]),
    );
    if (picture !== last) yield status;
    last = picture;
    await context.clock.sleep(LOOK_GAP_MS, signal);
  }
}
