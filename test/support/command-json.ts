import type { ErrorCode } from '../../src/domain/errors.ts';
import type { DeliveryJson, SessionJson } from '../../src/protocol/session-json.ts';

export interface ErrorJson {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface PurgedJson {
  readonly removed: readonly string[];
  readonly quoted_in: readonly string[];
  readonly missing: readonly MissingJson[];
}

export interface MissingJson {
  readonly conversation_id: string;
  readonly looked: readonly string[];
}

/** A session as `status`, `resume` and `stop` print it; the last six only by `stop`. */
export interface SessionSeen extends SessionJson {
  readonly agent_pid: number;
  readonly conversation_id: string;
  readonly pane: NonNullable<SessionJson['pane']>;
  readonly ended: NonNullable<SessionJson['ended']>;
  readonly tmux: NonNullable<SessionJson['tmux']>;
  readonly survivors: readonly { readonly pid: number; readonly cmd: string }[];
  readonly left: readonly { readonly pid: number; readonly reason: string }[];
  readonly ended_by: string;
  readonly proof: string;
  readonly was_running: boolean;
  readonly purged: PurgedJson;
}

export interface DeliverySeen extends DeliveryJson {
  readonly reason: string;
  readonly evidence: NonNullable<DeliveryJson['evidence']>;
}

/**
 * The one JSON document of any command (docs/cli.md), as tests read it: each knows which fields its
 * command prints, and fails on one that is not there.
 */
export interface CommandJson {
  readonly v: 1;
  readonly ts: string;
  readonly id: string;
  readonly workspace: string;
  readonly registry: {
    readonly mode: string;
    readonly degraded: boolean;
    readonly yaml_edited: boolean;
  };
  readonly tmux: { readonly socket: string; readonly server: string };
  readonly pending_events: number;
  /** Of `hooks install` and `uninstall`. */
  readonly file: string;
  readonly changed: boolean;
  readonly session: SessionSeen;
  readonly sessions: readonly [SessionSeen, ...SessionSeen[]];
  readonly failed: readonly [{ readonly name: string; readonly error: ErrorJson }];
  readonly delivery: DeliverySeen;
  readonly error: ErrorJson;
  readonly screen: string;
  readonly cols: number;
  readonly rows: number;
  readonly answered: string;
}
