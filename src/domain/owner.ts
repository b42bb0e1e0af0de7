/**
 * A process that can be told from every other: pids are used again, start times are not (within one
 * boot). `startTicks` is field 22 of /proc/<pid>/stat, as text.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** What the process table says of a process; a zombie has ended, only its parent has not noticed. */
export function isLiving(
  found: (ProcessIdentity & { readonly state: string }) | undefined,
  identity: ProcessIdentity,
): boolean {
  return found?.startTicks === identity.startTicks && !'ZX'.includes(found.state);
}

/** Where a pid means one process: a pid namespace of one boot of one host. */
export interface ProcessSpace {
  /** First 8 hex digits of the machine id. */
  readonly host: string;
  readonly boot: string;
  /** As /proc/self/ns/pid names it. @see pid_namespaces(7) */
  readonly pidNamespace: string;
}

/** Whether pids of one are pids of the other. */
export function isSameSpace(a: ProcessSpace, b: ProcessSpace): boolean {
  return a.host === b.host && a.boot === b.boot && a.pidNamespace === b.pidNamespace;
}

/** Who holds a launch or an operation. */
export interface Owner extends ProcessIdentity, ProcessSpace {}

/** One and the same process: a pid alone comes again, in other namespaces and on other hosts at once. */
export function isSameOwner(a: Owner, b: Owner): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks && isSameSpace(a, b);
}

/** How long an owner that cannot be seen (another namespace or host) counts as alive. Milliseconds. */
export const UNSEEN_OWNER_MS = 10 * 60_000;

/** What one process can see of others: where it runs, and whether a process still lives. */
export interface OwnerView {
  readonly self: Owner;
  isAlive(identity: ProcessIdentity): boolean;
}

/**
 * Whether an owner still lives. Another boot of the same host: dead. The same boot and namespace: the
 * process table knows. Another namespace or host cannot be seen, so it counts as alive until its
 * deadline.
 */
export function isOwnerAlive(
  owner: Owner,
  deadlineMs: number,
  view: OwnerView,
  nowMs: number,
): boolean {
  const { self } = view;
  if (owner.host !== self.host) return nowMs < deadlineMs;
  if (owner.boot !== self.boot) return false;
  if (owner.pidNamespace !== self.pidNamespace) return nowMs < deadlineMs;
  return view.isAlive(owner);
}
