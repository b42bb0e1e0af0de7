/**
 * `A`: recorded as running, and ended. `B`: on our server, and no row stands for it. `C`: its conversation
 * is another one now. `D`: it has an id and no conversation. The rest concern what is neither.
 */
export type Drift =
  | 'A'
  | 'B'
  | 'C'
  | 'D'
  | 'server-gone'
  | 'server-unreachable'
  | 'terminal-lost'
  | 'orphans';

export type Action =
  | 'mark-stopped'
  | 'mark-terminated'
  | 'adopt'
  | 'record-conversation'
  | 'reap'
  | 'none';

/** One way in which registry and world differ, why we think so, and what would be done about it. */
export interface Finding {
  readonly drift: Drift;
  /** The session's name; null for what concerns the whole server. */
  readonly session: string | null;
  readonly action: Action;
  /** One line for a person. */
  readonly reason: string;
  /** The facts behind it, for example `exit record: status 3`. */
  readonly evidence: readonly string[];
  readonly target: Target;
}

/** What an action is carried out on; each is looked at again before that. */
export type Target =
  | { readonly kind: 'session'; readonly sessionId: string; readonly launch: string }
  | { readonly kind: 'pane'; readonly paneId: string; readonly proposal: Proposal | undefined }
  | { readonly kind: 'server' };

/** How a session that no row stands for would be recorded. */
export interface Proposal {
  readonly name: string;
  readonly agent: string;
  readonly role: string;
}

/**
 * `gone`: when it was looked at again it was no longer so. `survived`: a process could not be ended.
 * `failed`: an error, told beside it.
 */
export type ActOutcome = 'done' | 'gone' | 'nothing' | 'survived' | 'failed';
