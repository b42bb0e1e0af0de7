import { isMamError } from '../../domain/errors.ts';
import { nameKey, parseRole, parseSessionName } from '../../domain/names.ts';
import type { Session } from '../../domain/session.ts';
import { holdsName } from '../../domain/session-rules.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import type { FleetContext } from '../fleet/context.ts';
import type { Proposal } from './finding.ts';
import type { Stranger } from './world.ts';

/** What a session that mam did not make is for, unless its tmux name says more. */
const DEFAULT_ROLE = 'creator';

/**
 * Whose a pane is that no row stands for: by the tags that a lost row left, else by its tmux name
 * (`<agent>-creator-<name>`), else by the program that runs in it.
 */
export async function recognise(
  context: FleetContext,
  pane: PaneLook,
  sessions: readonly Session[],
): Promise<Stranger> {
  const below = processesBelow(context, pane.panePid);
  const commands = below.map(({ pid }) => context.processes.commandLine(pid));
  const isOthers = pane.workspaceTag !== '' && pane.workspaceTag !== context.workspace.id;
  const wanted = isOthers ? undefined : await proposalFor(context, pane, commands);
  const proposal = wanted && usable(context, wanted, sessions);
  return { paneId: pane.paneId, tmuxName: pane.sessionName, proposal, commands };
}

async function proposalFor(
  context: FleetContext,
  pane: PaneLook,
  commands: readonly string[],
): Promise<Proposal | undefined> {
  const isTagged = pane.launchTag !== '';
  const tagged = isTagged ? await context.multiplexer.identify(pane.paneId) : undefined;
  return tagged ?? byName(context, pane) ?? byProgram(context, pane, commands);
}

function byName({ adapters }: FleetContext, { sessionName }: PaneLook): Proposal | undefined {
  const [agent = '', role = '', ...rest] = sessionName.split('-');
  const isOurs = adapters.kinds.includes(agent) && role === DEFAULT_ROLE && rest.length > 0;
  return isOurs ? { agent, role, name: rest.join('-') } : undefined;
}

function byProgram(
  context: FleetContext,
  { sessionName }: PaneLook,
  commands: readonly string[],
): Proposal | undefined {
  const agent = context.adapters.kinds.find((kind) =>
    commands.some((command) => runsAgent(context, kind, command)),
  );
  return agent === undefined ? undefined : { agent, role: DEFAULT_ROLE, name: sessionName };
}

/** Whether a command line is one of this agent's. */
export function runsAgent(
  { adapters }: Pick<FleetContext, 'adapters'>,
  kind: string,
  command: string,
): boolean {
  return adapters.get(kind).card.binaries.some((binary) => runs(command, binary));
}

/** As a program of its own, or as the script that an interpreter runs. */
function runs(command: string, binary: string): boolean {
  return command
    .split(' ')
    .slice(0, 2)
    .some((word) => word === binary || word.endsWith(`/${binary}`));
}

/** Its name is one that a session may have and that none has. */
function usable(
  { adapters }: FleetContext,
  proposal: Proposal,
  sessions: readonly Session[],
): Proposal | undefined {
  try {
    const { agent } = proposal;
    const name = parseSessionName(proposal.name);
    const role = parseRole(proposal.role);
    const key = nameKey(name);
    const isTaken = sessions.some((session) => nameKey(session.name) === key && holdsName(session));
    return isTaken || !adapters.kinds.includes(agent) ? undefined : { agent, role, name };
  } catch (error) {
    if (!isMamError(error, 'name.invalid')) throw error;
    return undefined;
  }
}

/** The pane's own process and all below it, parents first. */
export function processesBelow(
  { processes }: Pick<FleetContext, 'processes'>,
  root: number,
): readonly ProcessInfo[] {
  const all = processes.list();
  const found = all.filter(({ pid }) => pid === root);
  for (let at = 0; at < found.length; at++) {
    const parent = found[at]?.pid;
    found.push(...all.filter(({ ppid, pid }) => ppid === parent && pid !== root));
  }
  return found;
}
