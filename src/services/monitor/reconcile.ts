import { nameKey } from '../../domain/names.ts';
import type { Session } from '../../domain/session.ts';
import type {
  Action,
  Finding,
  Leftover,
  SeenSession,
  Stranger,
  Target,
  World,
} from '../../ports/fleet-care.ts';

/**
 * Where registry and world differ. Pure: the same world gives the same findings, in the order of the
 * sessions, and after they are acted on the next world gives none of them.
 *
 * A server that is gone is one finding and no deaths: its sessions stay as they are until they are resumed
 * or stopped, or until another server is there.
 */
export function reconcile(world: World): readonly Finding[] {
  const found = [...onServer(world), ...world.leftovers.map(orphaned)];
  return world.isFirstLook ? found.map(untouched) : found;
}

function onServer(world: World): readonly Finding[] {
  const { server, sessions, strangers } = world;
  if (server === 'gone' || server === 'unreachable') return [serverLost(world, server)];
  return [
    ...conversationsOnce(
      sessions,
      sessions.flatMap((each) => judge(each) ?? []),
    ),
    ...strangersOnce(strangers, world.mayAdopt),
  ];
}

function judge(each: SeenSession): Finding | undefined {
  const { seen, isHeld } = each;
  if (isHeld || seen.isRemote || seen.session.status !== 'running') return undefined;
  return older(each) ?? ended(each) ?? terminalLost(each) ?? moved(each) ?? missing(each);
}

/** A registry that was put back: what it says of this session was true once, and nothing follows from it. */
function older({ seen: { session }, otherLaunch }: SeenSession): Finding | undefined {
  if (otherLaunch === null) return undefined;
  const evidence = [`recorded launch: ${session.launch}`, `launch of its pane: ${otherLaunch}`];
  const reason =
    'A later start of it runs: the registry is older than that. Attach to it and end it there.';
  return about(session, 'B', 'none', reason, evidence);
}

/** Its agent is gone, and how it ended may be written down in a moment. */
export function isInDoubt({ seen, wasLifeless }: SeenSession): boolean {
  return !seen.agentAlive && seen.exit === undefined && seen.agent !== undefined && !wasLifeless;
}

/** Its launcher writes the end down a moment after the agent's process is gone: without that, seen twice. */
function ended({ seen, wasLifeless, endsAs }: SeenSession): Finding | undefined {
  const { session, exit, agent, agentAlive, pane } = seen;
  const action = endsAs === 'stopped' ? 'mark-stopped' : 'mark-terminated';
  if (agentAlive) return undefined;
  if (exit) {
    const evidence = [`exit record: status ${exit.status}`, pane ? 'its pane is kept' : 'no pane'];
    return about(session, 'A', action, `The agent ended with status ${exit.status}.`, evidence);
  }
  if (!wasLifeless) return undefined;
  if (agent) {
    const evidence = [
      `process ${agent.pid} of start ${agent.startTicks} is gone`,
      'no exit record',
    ];
    return about(session, 'A', action, 'The agent was found dead.', evidence);
  }
  if (pane) return undefined;
  const evidence = ['no pane with its tag', 'no process was ever recorded'];
  return about(session, 'A', action, 'Its start was never finished.', evidence);
}

function terminalLost({ seen }: SeenSession): Finding | undefined {
  const { session, pane, agent, agentAlive } = seen;
  if (pane || !agent || !agentAlive) return undefined;
  const evidence = ['no pane with its tag', `process ${agent.pid} lives`];
  return about(session, 'terminal-lost', 'none', 'The agent lives without its terminal.', evidence);
}

function moved({ seen: { session }, movedTo }: SeenSession): Finding | undefined {
  if (movedTo === null || movedTo === session.conversationId) return undefined;
  const evidence = [
    `recorded: ${session.conversationId ?? 'none'}`,
    `its newest start: ${movedTo}`,
  ];
  return about(session, 'C', 'record-conversation', 'It is on another conversation.', evidence);
}

/** A conversation that another session is on, or moves to as well, is nobody's to move to. */
function conversationsOnce(
  sessions: readonly SeenSession[],
  findings: readonly Finding[],
): readonly Finding[] {
  const byId = new Map(sessions.map((each) => [each.seen.session.id, each]));
  const key = ({ seen: { session } }: SeenSession, id: string | null) => `${session.agent} ${id}`;
  const taken = new Set(sessions.map((each) => key(each, each.seen.session.conversationId)));
  return findings.map((finding) => {
    const { action, target } = finding;
    const each = target.kind === 'session' ? byId.get(target.sessionId) : undefined;
    if (action !== 'record-conversation' || !each) return finding;
    const wanted = key(each, each.movedTo);
    if (!taken.has(wanted)) {
      taken.add(wanted);
      return finding;
    }
    const reason = 'It says that it is on a conversation that another session has.';
    return { ...finding, action: 'none', reason };
  });
}

/** Until the first prompt no agent has written anything. */
function missing({ seen: { session }, conversation }: SeenSession): Finding | undefined {
  if (conversation !== 'missing' || !session.prompted) return undefined;
  const evidence = [`conversation ${session.conversationId ?? 'none'}`];
  return about(
    session,
    'D',
    'none',
    'Its conversation is not in the store of its agent.',
    evidence,
  );
}

/** Two panes that would become the same session: the first by its id is, the other is only told. */
function strangersOnce(strangers: readonly Stranger[], mayAdopt: boolean): readonly Finding[] {
  const taken = new Set<string>();
  return strangers.map((stranger) => {
    const { paneId, proposal } = stranger;
    if (typeof proposal === 'string') return leftAlone(stranger, proposal);
    if (!mayAdopt) return leftAlone(stranger, 'policies.adopt is false');
    const key = nameKey(proposal.name);
    if (taken.has(key)) return leftAlone(stranger, `the name "${proposal.name}" is taken`);
    if (taken.has(paneId)) return leftAlone(stranger, 'its pane is recorded already');
    taken.add(key).add(paneId);
    return {
      drift: 'B',
      session: proposal.name,
      action: 'adopt',
      reason: `A ${proposal.agent} on our server that nobody recorded.`,
      evidence: evidenceOf(stranger),
      target: { kind: 'pane', paneId, proposal },
    };
  });
}

function leftAlone(stranger: Stranger, why: string): Finding {
  const { paneId, tmuxName } = stranger;
  return {
    drift: 'B',
    session: tmuxName,
    action: 'none',
    reason: `A session on our server that nobody recorded, and that is left alone: ${why}.`,
    evidence: evidenceOf(stranger),
    target: { kind: 'pane', paneId, proposal: undefined },
  };
}

function evidenceOf({ paneId, tmuxName, commands }: Stranger): readonly string[] {
  return [`pane ${paneId} of tmux session ${tmuxName}`, ...commands];
}

function orphaned({ session, sessionId, launch, pids }: Leftover): Finding {
  return {
    drift: 'orphans',
    session,
    action: 'reap',
    reason: `${pids.length} process(es) of an ended session still run.`,
    evidence: pids.map((pid) => `process ${pid}`),
    target: { kind: 'session', sessionId, launch },
  };
}

function serverLost({ sessions, serverPid }: World, state: 'gone' | 'unreachable'): Finding {
  const here = sessions.filter(({ seen }) => !seen.isRemote);
  const names = here.map(({ seen }) => seen.session.name);
  return {
    drift: state === 'gone' ? 'server-gone' : 'server-unreachable',
    session: null,
    action: 'none',
    reason:
      state === 'gone'
        ? 'The tmux server is gone, and with it what ran on it. mam resume --all brings it back.'
        : `The tmux server lives and does not answer at its socket. kill -USR1 ${serverPid ?? 'PID'} makes it create the socket again.`,
    evidence: names.map((name) => `session ${name}`),
    target: { kind: 'server' },
  };
}

/** What the first look shows is told, and nothing is done about it. */
function untouched(finding: Finding): Finding {
  if (finding.action === 'none') return finding;
  const evidence = [...finding.evidence, 'first look: nothing is done yet'];
  return { ...finding, action: 'none', evidence };
}

function about(
  { id, name, launch }: Session,
  drift: Finding['drift'],
  action: Action,
  reason: string,
  evidence: readonly string[],
): Finding {
  const target: Target = { kind: 'session', sessionId: id, launch };
  return { drift, session: name, action, reason, evidence, target };
}
