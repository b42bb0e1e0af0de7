import { ulid } from '../../base/ulid.ts';
import type { Launch } from '../../domain/launch.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import { assertNameFree } from '../../domain/session-rules.ts';
import { isoNow } from '../../ports/clock.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import type { FleetContext } from '../fleet/context.ts';
import { readIdentityFile } from '../fleet/launch-folder.ts';
import { launchFolder } from '../fleet/launch-records.ts';
import { paneRecord } from '../fleet/pane-record.ts';
import type { ActOutcome, Target } from './finding.ts';
import { processesBelow, runsAgent } from './recognise.ts';

type PaneTarget = Extract<Target, { kind: 'pane' }>;

/**
 * Records a session that no row stands for. Tags first: a pane that has them and no row is found again,
 * a row without its pane would be a session that is lost.
 */
export async function adopt(
  context: FleetContext,
  { paneId, proposal }: PaneTarget,
): Promise<ActOutcome> {
  const look = await context.multiplexer.look([]);
  const pane = look.server === 'up' ? look.panes.find((each) => each.paneId === paneId) : undefined;
  if (!pane || pane.dead || !proposal) return 'gone';
  const isTagged = pane.launchTag !== '';
  const nowMs = context.clock.nowMs();
  const ids = {
    id: pane.sessionTag || `ses_${ulid(nowMs)}`,
    launch: pane.launchTag || ulid(nowMs),
  };
  if (!isTagged && !(await tag(context, pane, ids))) return 'gone';
  const agent = findAgent(context, pane, ids.launch, proposal.agent);
  const session: Session = {
    ...ids,
    ...proposal,
    ...placeOf(context, pane, agent),
    adopted: true,
  };
  return record(context, session, pane);
}

function tag(
  { multiplexer, workspace }: FleetContext,
  { sessionId }: PaneLook,
  { id, launch }: { readonly id: string; readonly launch: string },
): Promise<boolean> {
  const tags = { workspaceTag: workspace.id, sessionTag: id, launchTag: launch };
  return multiplexer.adopt({ sessionId, ...tags });
}

/** What the launcher wrote down, else the program of that agent nearest to the pane's own process. */
function findAgent(
  context: FleetContext,
  pane: PaneLook,
  launch: string,
  kind: string,
): ProcessIdentity | null {
  const recorded = readIdentityFile(context.files, `${launchFolder(context, launch)}/agent`);
  if (recorded && context.processes.isAlive(recorded)) return recorded;
  const below = processesBelow(context, pane.panePid);
  const isAgent = ({ pid }: ProcessIdentity) =>
    runsAgent(context, kind, context.processes.commandLine(pid));
  const found = below.find(isAgent) ?? below[0];
  return found ? { pid: found.pid, startTicks: found.startTicks } : null;
}

/** Everything of a session but who it is. */
function placeOf(context: FleetContext, pane: PaneLook, agent: ProcessIdentity | null) {
  const { processes, multiplexer, files } = context;
  const { host, boot, pidNamespace } = processes.self;
  const cwd = (agent && files.realPath(`/proc/${agent.pid}/cwd`)) ?? context.workspace.root;
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
    // Never guessed by the newest file: its hooks or its own state file tell.
    ...{ conversationId: null, storeFolder: null, prompted: true, conversationHistory: [] },
    ...{ parent: null, createdAt: now, stoppedAt: null, ended: null, lastScreen: null },
    ...{ host, boot, pidNamespace },
  };
}

function record(context: FleetContext, session: Session, pane: PaneLook): ActOutcome {
  const { processes, clock, registry } = context;
  const launch: Launch = {
    ...{ id: session.launch, sessionId: session.id, kind: 'adopt', state: 'up' },
    ...{ owner: processes.self, deadlineMs: clock.nowMs(), session, paneId: pane.paneId },
    ...{ panePid: null, recorder: null, lastNumber: Math.max(pane.pasted, 0), endedAt: null },
  };
  return registry.update((tx) => {
    if (tx.findLaunch(launch.id) || tx.findSessionById(session.id)) return 'gone';
    assertNameFree(tx.findSession(session.name));
    tx.putLaunch(launch);
    tx.putSession(session);
    return 'done';
  });
}
