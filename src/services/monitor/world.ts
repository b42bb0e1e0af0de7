import type { Life, ServerState } from '../fleet/life.ts';
import type { Proposal } from './finding.ts';

/** What one look at the whole fleet found. Evidence only; what it means is said by `reconcile`. */
export interface World {
  /**
   * The first look after a start, or after a pause of ours (sleep, SIGSTOP, a clock that jumped): what it
   * shows may be half over.
   */
  readonly isFirstLook: boolean;
  readonly server: ServerState;
  /** Sessions that the registry has as running. */
  readonly sessions: readonly SeenSession[];
  readonly strangers: readonly Stranger[];
  readonly leftovers: readonly Leftover[];
  /** Whether strangers may be recorded: `policies.adopt`. */
  readonly mayAdopt: boolean;
}

export interface SeenSession {
  readonly seen: Life;
  /** An operation on it whose owner lives: not ours to judge now. */
  readonly isHeld: boolean;
  /** What its end would make of it, by its exit record and how it came about. */
  readonly endsAs: 'stopped' | 'terminated';
  /** Another launch of the same session that has a pane: the registry is older than what runs. */
  readonly otherLaunch: string | null;
  /** The look before found no life in it either. */
  readonly wasLifeless: boolean;
  /** In the agent's own store; `unknown` when this look did not ask. */
  readonly conversation: 'present' | 'missing' | 'unknown';
  /** The id that its newest start tells, where the registry has another. */
  readonly movedTo: string | null;
}

/** A pane on our server that no row stands for. */
export interface Stranger {
  readonly paneId: string;
  readonly tmuxName: string;
  /** What it would be recorded as, or why it is not. */
  readonly proposal: Proposal | string;
  /** Command lines of its processes, the pane's own first. */
  readonly commands: readonly string[];
}

/** Processes of a session that has ended. */
export interface Leftover {
  readonly session: string;
  readonly sessionId: string;
  readonly launch: string;
  readonly pids: readonly number[];
}
