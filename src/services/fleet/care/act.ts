import type { Session } from '../../../domain/session.ts';
import type { ActOutcome, Finding } from '../../../ports/fleet-care.ts';
import { releaseConversations } from '../claims.ts';
import type { FleetContext } from '../context.ts';
import { drainSpool } from '../drain.ts';
import { LaunchProcesses } from '../launch-processes.ts';
import { launchFolder } from '../launch-records.ts';
import { type Observation, observeSession } from '../observe.ts';
import { isOperationHeld } from '../operations.ts';
import { plainText, screenText } from '../screen-text.ts';
import { foundEnded, putEnded, wasAskedToEnd } from '../session-end.ts';
import { adopt } from './adopt.ts';

/**
 * Carries out what a finding proposes. Everything is looked at again first: between a look and an act a
 * command may have done it, or more.
 */
export async function act(context: FleetContext, finding: Finding): Promise<ActOutcome> {
  const { action, target } = finding;
  if (action === 'none') return 'nothing';
  if (target.kind === 'pane') return adopt(context, target);
  if (target.kind === 'server') return 'nothing';
  const { session, held } = context.registry.read((reader) => ({
    session: reader.findSessionById(target.sessionId),
    held: isOperationHeld(context, reader.findOperation(target.sessionId)),
  }));
  if (session?.launch !== target.launch || held) return 'gone';
  switch (action) {
    case 'mark-stopped':
    case 'mark-terminated':
      return markEnded(context, session, finding.reason);
    case 'record-conversation':
      drainSpool(context, session, session.launch);
      return 'done';
    case 'reap':
      return reap(context, session);
    case 'adopt':
      return 'nothing';
  }
}

async function markEnded(
  context: FleetContext,
  session: Session,
  reason: string,
): Promise<ActOutcome> {
  const seen = await observeSession(context, session);
  if (seen.agentAlive || seen.isRemote || seen.server !== 'up') return 'gone';
  drainSpool(context, session, session.launch);
  const lastScreen = screenAtEnd(context, seen);
  const wasAsked = wasAskedToEnd(context.files, launchFolder(context, session.launch));
  const found = { reason, exit: seen.exit, wasAsked, by: 'monitor' } as const;
  await releaseConversations(context, session.launch);
  return context.registry.update((tx) => {
    const current = tx.findSessionById(session.id);
    const isSame = current?.status === 'running' && current.launch === session.launch;
    if (!isSame || isOperationHeld(context, tx.findOperation(session.id))) return 'gone';
    const launch = tx.findLaunch(session.launch);
    const ended = foundEnded(current, launch, found, context.clock);
    putEnded(tx, { ...ended, lastScreen: lastScreen || current.lastScreen });
    return 'done';
  });
}

/** The launcher stored it as it was at the end; a pane that is kept shows a line of ours below it. */
function screenAtEnd(context: FleetContext, { session, screen }: Observation): string {
  const stored = context.files.readText(`${launchFolder(context, session.launch)}/screen`);
  return stored === undefined ? screenText(screen) : plainText(stored);
}

/** TERM, then KILL; never what other sessions share. */
async function reap(context: FleetContext, session: Session): Promise<ActOutcome> {
  if (session.status === 'running') return 'gone';
  return (await new LaunchProcesses(context, session).end()) ? 'done' : 'survived';
}
