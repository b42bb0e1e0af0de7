import type { ProcessIdentity, ProcessSpace } from './owner.ts';

export type SessionStatus = 'running' | 'stopped' | 'terminated';
export type Permissions = 'skip' | 'ask';

/** One entry of the registry. Times are ISO 8601, UTC. */
export interface Session extends ProcessSpace {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  /** Set at creation, immutable. */
  readonly role: string;
  readonly status: SessionStatus;
  readonly resumable: boolean;
  /** Real path the agent was started in; its conversation belongs to it. */
  readonly cwd: string;
  /** Root of the repository at creation, else the same as `cwd`. */
  readonly workspaceRoot: string;
  readonly permissions: Permissions;
  readonly model: string | null;
  readonly startCommand: readonly string[];
  /** Arguments after `--`, given again at a resume. */
  readonly extraArgs: readonly string[];
  /** Names of variables given with `--env`; values are never stored. */
  readonly envNames: readonly string[];
  readonly mcpAttachments: readonly string[];
  /** Found on our server in the middle of its life: hooks may not report, or said all before. */
  readonly adopted: boolean;
  /** The current launch. */
  readonly launch: string;
  readonly tmux: TmuxPlace | null;
  readonly agentProcess: ProcessIdentity | null;
  readonly pane: PaneRecord | null;
  readonly conversationId: string | null;
  /** Folder that the agent keeps its conversations in; null in rows from before it was recorded. */
  readonly storeFolder: string | null;
  /** Whether a prompt was ever submitted: until then the agent has no conversation to come back to. */
  readonly prompted: boolean;
  /** Earlier ids of the same session, oldest first. */
  readonly conversationHistory: readonly string[];
  /** Id of the session that created it. */
  readonly parent: string | null;
  readonly createdAt: string;
  readonly stoppedAt: string | null;
  readonly ended: SessionEnd | null;
  readonly lastScreen: string | null;
}

export interface TmuxPlace {
  readonly socket: string;
  /** `$` and digits. */
  readonly sessionId: string;
  /** `%` and digits; unique while one tmux server lives. */
  readonly paneId: string;
  /** The name that tmux reports. */
  readonly sessionName: string;
}

export interface PaneRecord {
  readonly index: number;
  readonly pid: number;
  readonly pidStartTicks: string;
  readonly pidStartedAt: string;
  readonly cmdFull: string;
  readonly children: readonly ChildProcess[];
}

export interface ChildProcess extends ProcessIdentity {
  readonly startedAt: string;
  readonly cmd: string;
}

export interface SessionEnd {
  readonly reason: string;
  readonly exitCode: number | null;
  readonly at: string;
  /** Who ended it or, when it ended by itself, who found it (`user`: whatever command). */
  readonly by: 'user' | 'monitor' | 'policy';
}

/** Where a tmux server of ours lives. `process` proves its life; the socket file alone does not. */
export interface TmuxServerRecord extends ProcessSpace {
  readonly socket: string;
  readonly process: ProcessIdentity;
}

/** A conversation that was seen, kept after its session is gone; bounded by the registry. */
export interface AgentIdentity {
  readonly agent: string;
  readonly id: string;
  readonly cwd: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly session: string;
  readonly firstPromptHash: string | null;
}
