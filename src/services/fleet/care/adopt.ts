import { ulid } from '../../../base/ulid.ts';
import type { Launch } from '../../../domain/launch.ts';
import type { ProcessIdentity } from '../../../domain/owner.ts';
import type { Session, TmuxServerRecord } from '../../../domain/session.ts';
import { holdsName } from '../../../domain/session-rules.ts';
import { isoNow } from '../../../ports/clock.ts';
import type { ActOutcome, Target } from '../../../ports/fleet-care.ts';
import type { PaneLook } from '../../../ports/multiplexer.ts';
import { runsAgent } from '../agent-command.ts';
import { mayClaim } from '../claims.ts';
import type { FleetContext } from '../context.ts';
import { readIdentityFile } from '../launch-folder.ts';
import { launchFolder, serverRecord } from '../launch-records.ts';
import { askServer } from '../life.ts';
import { readStateFile } from '../observe.ts';
import { paneRecord } from '../pane-record.ts';
import { registerServer } from '../servers.ts';
import { areOurTags, processesBelow } from './recognise.ts';

type PaneTarget = Extract<Target, { kind: 'pane' }>;

/**
 * Records a session that no row stands for. Tags first: a pane that has them and no row is found again,
 * a row without its pane would be a session that is lost.
 */
export async function adopt(
  context: FleetContext,
  { paneId, proposal }: PaneTarget,
): Promise<ActOutcome> {
  const look = await askServer(context, { anyRunning: false, capture: [], always: true });
  const pane = look.server === 'up' ? look.panes.get(paneId) : undefined;
  if (!pane || pane.dead || !proposal) return 'gone';
  const isTagged = pane.launchTag !== '';
  if (isTagged && !areOurTags(pane)) return 'gone';
  const nowMs = context.clock.nowMs();
  const ids = isTagged
    ? { id: pane.sessionTag, launch: pane.launchTag }
    : { id: `ses_${ulid(nowMs)}`, launch: ulid(nowMs) };
  const agent = findAgent(context, pane, ids.launch, proposal.agent);
  // Without a program of that agent, and nothing that the launcher wrote down, there is nothing to record.
  if (!agent) return 'gone';
  if (!isTagged && !(await tag(context, pane, ids))) return 'gone';
  const session: Session = { ...ids, ...proposal, ...placeOf(context, pane, agent), adopted: true };
  const server = look.pid === undefined ? undefined : serverRecord(context, look.pid);
  return record(context, withConversation(context, session, agent), pane, server);
}

/** Its own state file tells which conversation it is on, where it keeps one; never the newest file. */
function withConversation(
  context: FleetContext,
  session: Session,
  agent: ProcessIdentity,
): Session {
  const id = readStateFile(context, session, agent)?.conversationId;
  const owner =
    id === undefined
      ? undefined
      : context.readRegistry((reader) => reader.findConversationOwner(session.agent, id));
  if (id === undefined || owner || !mayClaim(context, session, id)) return session;
  return { ...session, conversationId: id };
}

function tag(
  { multiplexer, workspace }: FleetContext,
  { sessionId }: PaneLook,
  { id, launch }: { readonly id: string; readonly launch: string },
): Promise<boolean> {
  const tags = { workspaceTag: workspace.id, sessionTag: id, launchTag: launch };
  return multiplexer.adopt({ sessionId, ...tags });
}

/** What the launcher wrote down, dead or alive; else the program of that agent nearest to the pane's own. */
function findAgent(
  context: FleetContext,
  pane: PaneLook,
  launch: string,
  kind: string,
): ProcessIdentity | undefined {
  const recorded = readIdentityFile(context.files, `${launchFolder(context, launch)}/agent`);
  if (recorded) return recorded;
  const found = processesBelow(context.processes.list(), pane.panePid).find(({ pid }) =>
    runsAgent(context, kind, context.processes.commandLine(pid)),
  );
  return found && { pid: found.pid, startTicks: found.startTicks };
}

/** Everything of a session but who it is. */
function placeOf(context: FleetContext, pane: PaneLook, agent: ProcessIdentity) {
  const { processes, multiplexer } = context;
  const { host, boot, pidNamespace } = processes.self;
  const cwd = cwdOf(context, agent) ?? context.workspace.root;
  const now = isoNow(context.clock);
  return {
    ...({
      status: 'running',
      resumable: true,
      cwd,
      workspaceRoot: cwd,
      permissions: 'ask',
    } as const),
    ...{ model: null, startCommand: [], extraArgs: [], envNames: [], mcpAttachments: [] },
    tmux: {
      socket: multiplexer.socket,
      sessionId: pane.sessionId,
      paneId: pane.paneId,
      sessionName: pane.sessionName,
    },
    agentProcess: agent,
    pane: paneRecord(context, pane, agent),
    ...{ conversationId: null, storeFolder: null, prompted: true, conversationHistory: [] },
    ...{ parent: null, createdAt: now, stoppedAt: null, ended: null, lastScreen: null },
    ...{ host, boot, pidNamespace },
  };
}

/** Of a dead agent it is nobody's: its pid may be another's by now. */
function cwdOf({ processes, files }: FleetContext, agent: ProcessIdentity): string | undefined {
  return processes.isAlive(agent) ? files.realPath(`/proc/${agent.pid}/cwd`) : undefined;
}

function record(
  context: FleetContext,
  session: Session,
  pane: PaneLook,
  server: TmuxServerRecord | undefined,
): ActOutcome {
  const { processes, clock, registry } = context;
  const launch: Launch = {
    ...{ id: session.launch, sessionId: session.id, kind: 'adopt', state: 'up' },
    ...{ owner: processes.self, deadlineMs: clock.nowMs(), session, paneId: pane.paneId },
    ...{ panePid: null, recorder: null, lastNumber: Math.max(pane.pasted, 0), endedAt: null },
  };
  const outcome = registry.update((tx) => {
    const holder = tx.findSession(session.name);
    const isTaken = holder !== undefined && holdsName(holder);
    if (isTaken || tx.findLaunch(launch.id) || tx.findSessionById(session.id)) return 'gone';
    // A terminated session of that name gives it away.
    if (holder) tx.deleteSession(holder.id);
    tx.putLaunch(launch);
    tx.putSession(session);
    if (server) tx.setTmuxServer(server);
    return 'done';
  });
  registerServer(context);
  return outcome;
}
