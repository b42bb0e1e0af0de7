import { isUlid } from '../../../base/ulid.ts';
import { isMamError } from '../../../domain/errors.ts';
import { nameKey, parseRole, parseSessionName } from '../../../domain/names.ts';
import type { Session } from '../../../domain/session.ts';
import { holdsName } from '../../../domain/session-rules.ts';
import type { Proposal, Stranger } from '../../../ports/fleet-care.ts';
import type { PaneLook } from '../../../ports/multiplexer.ts';
import type { ProcessInfo } from '../../../ports/process-table.ts';
import { runsAgent } from '../agent-command.ts';
import type { FleetContext } from '../context.ts';

/** What a session that mam did not make is for, unless its tmux name says more. */
const DEFAULT_ROLE = 'creator';

/**
 * Whose a pane is that no row stands for: by the tags that a lost row left, else by the program that runs
 * in it, with the name that its tmux session has (`<agent>-creator-<name>`, or as it is).
 *
 * @param all - Every process, listed once for all panes.
 */
export async function recognise(
  context: FleetContext,
  pane: PaneLook,
  {
    all,
    sessions,
  }: { readonly all: readonly ProcessInfo[]; readonly sessions: readonly Session[] },
): Promise<Stranger> {
  const below = processesBelow(all, pane.panePid);
  const commands = below.map(({ pid }) => context.processes.commandLine(pid));
  const { paneId, sessionName: tmuxName } = pane;
  const wanted = await proposalFor(context, pane, commands);
  const judged = typeof wanted === 'string' ? wanted : usable(context, wanted, sessions);
  return { paneId, tmuxName, commands, proposal: judged };
}

/** @returns A proposal, or why there is none. */
async function proposalFor(
  context: FleetContext,
  pane: PaneLook,
  commands: readonly string[],
): Promise<Proposal | string> {
  if (pane.workspaceTag !== '' && pane.workspaceTag !== context.workspace.id) {
    return 'it is a session of another workspace';
  }
  if (pane.launchTag !== '') {
    const tagged = areOurTags(pane) ? await context.multiplexer.identify(pane.paneId) : undefined;
    return tagged ?? 'its tags are not what mam writes';
  }
  return byProgram(context, pane, commands) ?? 'no agent that mam knows runs in it';
}

/** Tags become names of folders: only what mam itself makes is taken. */
export function areOurTags({ launchTag, sessionTag }: PaneLook): boolean {
  return isUlid(launchTag) && sessionTag.startsWith('ses_') && isUlid(sessionTag.slice(4));
}

function byProgram(
  context: FleetContext,
  { sessionName }: PaneLook,
  commands: readonly string[],
): Proposal | undefined {
  const agent = context.adapters.kinds.find((kind) =>
    commands.some((command) => runsAgent(context, kind, command)),
  );
  if (agent === undefined) return undefined;
  const prefix = `${agent}-${DEFAULT_ROLE}-`;
  const name = sessionName.startsWith(prefix) ? sessionName.slice(prefix.length) : sessionName;
  return { agent, role: DEFAULT_ROLE, name };
}

/** Its name is one that a session may have and that none has. @returns Else why not. */
function usable(
  { adapters }: FleetContext,
  proposal: Proposal,
  sessions: readonly Session[],
): Proposal | string {
  const { agent } = proposal;
  if (!adapters.kinds.includes(agent)) return `mam knows no agent "${agent}"`;
  try {
    const name = parseSessionName(proposal.name);
    const role = parseRole(proposal.role);
    const key = nameKey(name);
    const holder = sessions.find((each) => nameKey(each.name) === key && holdsName(each));
    return holder ? `the name "${holder.name}" is taken` : { agent, role, name };
  } catch (error) {
    if (!isMamError(error, 'name.invalid')) throw error;
    return error.message;
  }
}

/** The pane's own process and all below it, parents first. */
export function processesBelow(all: readonly ProcessInfo[], root: number): readonly ProcessInfo[] {
  const found = all.filter(({ pid }) => pid === root);
  for (let at = 0; at < found.length; at++) {
    const parent = found[at]?.pid;
    found.push(...all.filter(({ ppid, pid }) => ppid === parent && pid !== root));
  }
  return found;
}
