import type { ActivityState } from '../domain/activity.ts';
import { type FleetStatus, fleetStatus } from '../services/fleet/status.ts';
import { livingMonitor } from '../services/monitor/living-monitor.ts';
import { isFaceEdited } from '../services/workspace/face-state.ts';
import { openReader } from './open-reader.ts';
import type { OpenOptions } from './surroundings.ts';

export interface StatusReader extends Disposable {
  status(name?: string): Promise<FleetStatus>;
  waitFor(name: string, until: ActivityState | 'changed', timeoutMs: number): Promise<FleetStatus>;
  /** The status now, and again whenever it is another. */
  watch(name?: string): AsyncIterable<FleetStatus>;
  /** Why the answer is not from the database, or null. */
  readonly degraded: string | null;
  /** What is said beside the sessions; snake_case. */
  summary(status: FleetStatus): object;
}

/** `mam status`: reads only, and loads nothing that only commands need. */
export async function openStatus(options: OpenOptions): Promise<StatusReader> {
  const reader = await openReader(options);
  const { context } = reader;
  const signal = options.signal ?? new AbortController().signal;
  const monitor = livingMonitor(context, context.workspace);
  return {
    degraded: reader.degraded,
    status: (name) => fleetStatus(context, name),
    waitFor: async (name, until, timeoutMs) => {
      const { waitForActivity } = await import('../services/fleet/wait.ts');
      return waitForActivity(context, name, { until, timeoutMs, signal });
    },
    watch: async function* (name) {
      const { watchStatus } = await import('../services/fleet/wait.ts');
      yield* watchStatus(context, name, signal);
    },
    summary: ({ server, pendingEvents }) => ({
      workspace: context.workspace.root,
      registry: {
        mode: reader.mode,
        degraded: reader.degraded !== null,
        yaml_edited: isFaceEdited(context.workspace, context.files),
      },
      tmux: { socket: context.multiplexer.socket, server },
      monitor: { running: monitor !== undefined, pid: monitor?.pid ?? null },
      pending_events: pendingEvents,
    }),
    [Symbol.dispose]: () => reader[Symbol.dispose](),
  };
}
