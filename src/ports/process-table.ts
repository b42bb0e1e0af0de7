import type { Owner, OwnerView, ProcessIdentity } from '../domain/owner.ts';

export interface ProcessInfo extends ProcessIdentity {
  readonly ppid: number;
  readonly sessionLeader: number;
  readonly processGroup: number;
  /** Device number of the controlling terminal, 0 for none. */
  readonly tty: number;
  /** Foreground process group of that terminal. */
  readonly foregroundGroup: number;
  /** One letter of /proc/<pid>/stat: R, S, D, T, Z, … */
  readonly state: string;
  readonly uid: number;
}

/** The machine's processes. Signals go by pid and start time, so never to somebody else. */
export interface ProcessTable extends OwnerView {
  readonly self: Owner;
  find(pid: number): ProcessInfo | undefined;
  list(): readonly ProcessInfo[];
  /** Full command line, arguments separated by blanks; empty for a zombie. */
  commandLine(pid: number): string;
  /** Absolute paths of the files that a process holds open; none of one that is not our own user's. */
  openFiles(pid: number): readonly string[];
  startedAt(identity: ProcessIdentity): Date;
  /** Values of a variable in the environments of our own user's processes, by pid. */
  environmentValues(name: string): ReadonlyMap<number, string>;
  /** Pids whose environment holds `NAME=VALUE`; of our own user only. */
  withEnvironment(name: string, value: string): readonly number[];
  /**
   * Sends a signal if the process is still the one meant.
   *
   * @returns Whether it was there, and takes signals from us: another user's does not.
   */
  signal(identity: ProcessIdentity, signal: NodeJS.Signals): boolean;
}
