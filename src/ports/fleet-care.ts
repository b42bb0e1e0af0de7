import type { Activity } from '../domain/activity.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { ProcessIdentity } from '../domain/owner.ts';
import type { Session } from '../domain/session.ts';
import type { PaneLook } from './multiplexer.ts';

export type ServerState = 'up' | 'none' | 'gone' | 'unreachable';

/** How an agent ended, as the launcher recorded it. */
export interface ExitRecord {
  /** The shell's `$?`: above 128 a signal, or the agent's own choice. */
  readonly status: number;
  readonly atMs: number;
  /** The terminal went away first. */
  readonly hungUp: boolean;
}

/** Whether a session lives, as one look found it: by its process, its exit record and its pane. */
export interface Life extends Terminal {
  readonly session: Session;
  readonly agent: ProcessIdentity | undefined;
  readonly agentAlive: boolean;
  readonly exit: ExitRecord | undefined;
}

/** What tmux says of a session. */
export interface Terminal {
  readonly server: ServerState;
  /** Another machine's session, or a sandbox's view: never judged, signalled or resumed from here. */
  readonly isRemote: boolean;
  /** The pane, proven ours by its tag. */
  readonly pane: PaneLook | undefined;
}

/** What one look at the whole fleet found. Evidence only; what it means is said by `reconcile`. */
export interface World {
  /**
   * The first look after a start, or after a pause of ours (sleep, SIGSTOP, a clock that jumped): what it
   * shows may be half over.
   */
  readonly isFirstLook: boolean;
  readonly server: ServerState;
  /** The recorded server's process, when it lives and is not `up`: whom to tell to listen again. */
  readonly serverPid: number | null;
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
  /** The look before found no life in it either, and its recorder is gone or has had its time. */
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

export interface SurveyRequest {
  readonly isFirstLook: boolean;
  /** Also reads what costs more: the agents' stores, and every process's environment. */
  readonly isThorough: boolean;
}

/** Looks at the whole fleet, again and again; remembers a little from look to look. Changes nothing. */
export interface FleetSurvey {
  look(request: SurveyRequest): Promise<World>;
}

/** What a session is doing, for whom it concerns. */
export interface Attended {
  readonly session: Session;
  readonly activity: Activity;
  /**
   * The end of the usage limit that its agent is still at, although that end, and the time in which the
   * agent would go on by itself, have passed. Milliseconds since 1970.
   */
  readonly liftedMs: number | undefined;
}

/** What keeping registry and world in agreement needs of the fleet. Each act looks again before it acts. */
export interface FleetCare {
  survey(): FleetSurvey;
  act(finding: Finding): Promise<ActOutcome>;
  /** Finishes or undoes what killed commands left half started. */
  recover(): Promise<void>;
  /** Takes the waiting hook events of a running session into the registry. */
  drain(session: Session): void;
  /** Goes on with what waits for the session, as long as it only needs a moment. Never throws. */
  deliverWaiting(session: Session, timeoutMs: number): Promise<void>;
  attend(sessions: readonly Session[]): Promise<readonly Attended[]>;
  /**
   * On its own conversation, with what it was given of its starter's environment.
   *
   * @param mayResume - Asked of the session as it is when its start is reserved.
   * @throws {MamError} As `mam resume`; `launch.superseded` when it may not be any more.
   */
  resume(session: Session, mayResume: (current: Session) => boolean): Promise<void>;
  /** At most once for each id. @throws {MamError} As `mam send`. */
  send(session: Session, id: string, text: string): Promise<DeliveryState>;
  /** Whether our tmux server's process lives. */
  isServerAlive(): boolean;
}
