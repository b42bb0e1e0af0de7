import type { Owner, ProcessIdentity } from './owner.ts';
import type { Session } from './session.ts';

export type LaunchState = 'reserved' | 'spawned' | 'up' | 'ended';

/** One start of an agent. The row exists before anything else of the start does. */
export interface Launch {
  /** ULID; names the launch folder `.mam/run/<id>`. */
  readonly id: string;
  readonly sessionId: string;
  /** `adopt`: found on our server; nothing was started. */
  readonly kind: 'create' | 'resume' | 'adopt';
  readonly state: LaunchState;
  readonly owner: Owner;
  /** Until when an owner that cannot be seen counts as alive. */
  readonly deadlineMs: number;
  /** What the session becomes with `spawned`; while `reserved` it alone holds the name. */
  readonly session: Session;
  readonly paneId: string | null;
  readonly panePid: ProcessIdentity | null;
  readonly recorder: ProcessIdentity | null;
  /** Highest number given to a delivery of this launch; it only grows. */
  readonly lastNumber: number;
  readonly endedAt: string | null;
}

export type OperationKind = 'create' | 'resume' | 'stop' | 'deliver' | 'answer' | 'purge';

/** The one thing that is being done to a session. Later writes name `fence`, which no other operation ever has, and fail when it moved. */
export interface Operation {
  readonly sessionId: string;
  readonly kind: OperationKind;
  readonly owner: Owner;
  readonly fence: number;
  readonly deadlineMs: number;
}

/** `stop` may take over from a delivery, nothing else from anything that lives. */
export function mayPreempt(wanted: OperationKind, held: OperationKind): boolean {
  return wanted === 'stop' && held === 'deliver';
}
