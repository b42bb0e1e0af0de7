import { sha256 } from '../base/sha256.ts';
import { tmuxSessionName } from '../domain/names.ts';
import type { AgentIdentity, ChildProcess, Session } from '../domain/session.ts';
import { renderMapping, type YamlValue } from './yaml-text.ts';

const HEADER = `# Written by mam from agent-sessions.db, which is the registry. This file is for reading.
# An edit is noticed at the next command, kept beside this file under a dated name, and reported.
`;
const TRAILER = /^# mam: rev (\d+) sha256 ([0-9a-f]{64})\n?$/;

export interface FaceContent {
  readonly revision: number;
  readonly sessions: readonly Session[];
  readonly identities: readonly AgentIdentity[];
  /** Key of the conversation id of each kind, from its card. */
  readonly conversationKeys: Readonly<Record<string, string>>;
}

/** The whole file. Its last line tells its revision and the SHA-256 of all bytes above it. */
export function renderFace(content: FaceContent): string {
  const sessions = content.sessions.map((session) =>
    renderSession(session, content.conversationKeys),
  );
  const body = [
    HEADER,
    sessions.length > 0 ? `sessions:\n${sessions.join('')}` : 'sessions: {}\n',
    renderIdentities(content.identities),
  ].join('');
  return `${body}# mam: rev ${content.revision} sha256 ${sha256(body)}\n`;
}

/** The revision of a face that mam wrote and nobody changed; undefined for any other text. */
export function readFaceRevision(text: string): number | undefined {
  const at = text.lastIndexOf('# mam: rev ');
  const found = at < 0 ? null : TRAILER.exec(text.slice(at));
  if (!found || sha256(text.slice(0, at)) !== found[2]) return undefined;
  return Number(found[1]);
}

function renderSession(session: Session, keys: Readonly<Record<string, string>>): string {
  const name =
    session.tmux?.sessionName ?? tmuxSessionName(session.agent, session.role, session.name);
  return renderMapping({ [name]: sessionEntry(session, keys) }, 2);
}

function sessionEntry(
  session: Session,
  keys: Readonly<Record<string, string>>,
): Record<string, YamlValue> {
  const { pane, tmux, ended } = session;
  const conversationKey = keys[session.agent] ?? `${session.agent}_conversation_id_own`;
  return {
    id: session.id,
    name: session.name,
    agent: session.agent,
    role: session.role,
    status: session.status,
    resumable: session.resumable,
    cwd: session.cwd,
    workspace_root: session.workspaceRoot,
    permissions: session.permissions,
    start_command: session.startCommand,
    launch: session.launch,
    tmux: tmux && { socket: tmux.socket, session_id: tmux.sessionId, pane_id: tmux.paneId },
    agent_pid: session.agentProcess?.pid ?? null,
    pane: pane && {
      index: pane.index,
      pid: pane.pid,
      pid_started: pane.pidStartedAt,
      cwd: session.cwd,
      cmd_full: pane.cmdFull,
      children: pane.children.map(childEntry),
    },
    [conversationKey]: session.conversationId,
    conversation_history: session.conversationHistory,
    mcp_attachments: session.mcpAttachments,
    parent: session.parent,
    created_at: session.createdAt,
    stopped_at: session.stoppedAt,
    ended: ended && { reason: ended.reason, exit_code: ended.exitCode, at: ended.at, by: ended.by },
    last_visible_status_at_termination: session.lastScreen,
  };
}

function childEntry({ pid, startedAt, cmd }: ChildProcess): YamlValue {
  return { pid, pid_started: startedAt, cmd };
}

function renderIdentities(identities: readonly AgentIdentity[]): string {
  if (identities.length === 0) return 'agent_identities: {}\n';
  const byAgent = new Map<string, YamlValue[]>();
  for (const { agent, id, cwd, firstSeen, lastSeen, session, firstPromptHash } of identities) {
    const entry = { id, cwd, first_seen: firstSeen, last_seen: lastSeen, session };
    const list = byAgent.get(agent) ?? [];
    list.push({ ...entry, first_prompt_hash: firstPromptHash });
    byAgent.set(agent, list);
  }
  return renderMapping({ agent_identities: Object.fromEntries(byAgent) }, 0);
}
