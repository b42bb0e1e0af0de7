import type { ProcessIdentity } from '../../domain/owner.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';

export interface TreeRequest {
  readonly all: readonly ProcessInfo[];
  /** Processes whose descendants belong to the session; they themselves only when `including`. */
  readonly roots: readonly ProcessIdentity[];
  /** Processes that belong to it themselves, with their descendants. */
  readonly members: readonly ProcessIdentity[];
  /** Never taken and never descended into. */
  readonly isExcluded: (info: ProcessInfo) => boolean;
}

export interface Tree {
  /** Living processes of the session. */
  readonly members: readonly ProcessInfo[];
  /** Excluded ones that were met on the way. */
  readonly left: readonly ProcessInfo[];
}

/** Walks from roots and members down; zombies have ended. Pure. */
export function walkTree({ all, roots, members, isExcluded }: TreeRequest): Tree {
  const byPid = new Map(all.map((info) => [info.pid, info]));
  const children = new Map<number, ProcessInfo[]>();
  for (const info of all) children.set(info.ppid, [...(children.get(info.ppid) ?? []), info]);
  // Everything on the machine is below process 1: a record that names it names nothing of ours.
  const isSame = ({ pid, startTicks }: ProcessIdentity) =>
    pid > 1 && byPid.get(pid)?.startTicks === startTicks;

  const taken = new Map<number, ProcessInfo>();
  const left = new Map<number, ProcessInfo>();
  const skip = new Set(roots.filter(isSame).map(({ pid }) => pid));
  const queue: ProcessInfo[] = [];
  for (const { pid } of roots.filter(isSame)) queue.push(...(children.get(pid) ?? []));
  for (const { pid } of members.filter(isSame)) queue.push(byPid.get(pid) as ProcessInfo);
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (taken.has(next.pid) || left.has(next.pid)) continue;
    if (isExcluded(next)) {
      left.set(next.pid, next);
      continue;
    }
    if (!skip.has(next.pid) && !'ZX'.includes(next.state)) taken.set(next.pid, next);
    queue.push(...(children.get(next.pid) ?? []).filter(({ pid }) => !taken.has(pid)));
  }
  return { members: [...taken.values()], left: [...left.values()] };
}
