import { isOwnerAlive, isSameSpace, type Owner, type OwnerView } from './owner.ts';

/** Who is the monitor of a workspace, on whatever host. On one host a lock says it; across hosts this. */
export interface MonitorTerm {
  readonly owner: Owner;
  /** For people. */
  readonly hostName: string;
  /** Until when it counts where its process cannot be seen. Milliseconds of the epoch. */
  readonly deadlineMs: number;
}

/** How long a term lasts unless it is renewed. Milliseconds. */
export const MONITOR_TERM_MS = 60_000;

/** Whether somebody else's term keeps us from being the monitor; on our own host the lock has decided. */
export function isTermElsewhere(
  term: MonitorTerm | undefined,
  view: OwnerView,
  nowMs: number,
): term is MonitorTerm {
  if (!term || isSameSpace(term.owner, view.self)) return false;
  return isOwnerAlive(term.owner, term.deadlineMs, view, nowMs);
}
