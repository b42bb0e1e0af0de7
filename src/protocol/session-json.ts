import type { Activity, HookProof } from '../domain/activity.ts';
import type { Delivery } from '../domain/delivery.ts';
import { tmuxSessionName } from '../domain/names.ts';
import type { Session } from '../domain/session.ts';

/** What docs/cli.md calls `session`: snake_case, times in ISO 8601 UTC. Fields are added, never renamed. */
export function sessionJson(session: Session, extra: SessionJsonExtra) {
  const { tmux, pane, ended } = session;
  return {
    id: session.id,
    name: session.name,
    tmux_session: tmux?.sessionName ?? tmuxSessionName(session.agent, session.role, session.name),
    agent: session.agent,
    role: session.role,
    status: session.status,
    activity: activityJson(extra.activity),
    hooks: extra.hooks,
    conversation_id: session.conversationId,
    conversation_history: session.conversationHistory,
    resumable: session.resumable,
    cwd: session.cwd,
    workspace_root: session.workspaceRoot,
    permissions: session.permissions,
    model: session.model,
    launch: session.launch,
    // No gate is installed yet; a gate that is not proven would be `ungated`.
    gate: 'none' as const,
    start_command: session.startCommand,
    env_names: session.envNames,
    mcp_attachments: session.mcpAttachments,
    tmux: tmux && {
      socket: tmux.socket,
      session_id: tmux.sessionId,
      pane_id: tmux.paneId,
      mode: extra.tmuxMode,
    },
    agent_pid: session.agentProcess?.pid ?? null,
    agent_started: extra.agentStarted,
    pane: pane && {
      index: pane.index,
      pid: pane.pid,
      pid_started: pane.pidStartedAt,
      cmd_full: pane.cmdFull,
      children: pane.children.map(({ pid, startedAt, cmd }) => ({
        pid,
        pid_started: startedAt,
        cmd,
      })),
    },
    created_at: session.createdAt,
    stopped_at: session.stoppedAt,
    ended: ended && { reason: ended.reason, exit_code: ended.exitCode, at: ended.at, by: ended.by },
    last_visible_status_at_termination: session.lastScreen,
    parent: session.parent,
    depth: extra.depth,
  };
}

export type SessionJson = ReturnType<typeof sessionJson>;

export interface SessionJsonExtra {
  readonly activity: Activity;
  readonly hooks: HookProof | null;
  readonly depth: number;
  readonly tmuxMode: string | null;
  readonly agentStarted: string | null;
}

export function activityJson(activity: Activity) {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    state: activity.state,
    source: activity.source,
    confidence: activity.confidence,
    since: iso(activity.sinceMs),
    detail: activity.detail ?? null,
    until: iso(activity.untilMs),
  };
}

export function deliveryJson(delivery: Delivery) {
  return {
    id: delivery.id,
    state: delivery.state,
    reason: delivery.reason,
    evidence: delivery.evidence && {
      source: delivery.evidence.source,
      at: delivery.evidence.at,
    },
    again_of: delivery.againOf,
    answer: delivery.answer,
  };
}

export type DeliveryJson = ReturnType<typeof deliveryJson>;
