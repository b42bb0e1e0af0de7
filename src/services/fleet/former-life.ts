import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { releaseConversations } from './claims.ts';
import type { FleetContext } from './context.ts';
import { drainSpool } from './drain.ts';
import { assertHere, assertSeen } from './here.ts';
import { keepConversation } from './keep-conversation.ts';
import { LaunchProcesses } from './launch-processes.ts';
import { launchFolder } from './launch-records.ts';
import { observeSession } from './observe.ts';
import { beginOperation, type HeldOperation, letGo } from './operations.ts';
import { serverUnreachable } from './server-reach.ts';
import { foundEnded, putEnded, wasAskedToEnd } from './session-end.ts';

/** An agent whose terminal has just gone needs a moment to end by itself. Milliseconds. */
const HANG_UP_MS = 3_000;

/**
 * Before a session is brought back: its former life is proven over, and written down as what it was. A
 * held pane is ended.
 *
 * @throws {MamError} `session.wrong-state` while anything of it lives, `tmux.unreachable`.
 */
export async function settleFormerLife(
  context: FleetContext,
  session: Session,
  by: 'user' | 'policy',
): Promise<Session> {
  assertHere(context, session, 'resume');
  if (session.status !== 'running') {
    assertNothingLeft(context, session);
    return session;
  }
  // Taken before the first look: what is seen must be what is written down.
  const operation = beginOperation(context, session, 'resume');
  try {
    const current = context.registry.read((reader) => reader.findSessionById(session.id));
    if (current?.launch !== session.launch) throw stillRuns(session);
    return await writeDownEnd(context, operation, session, by);
  } finally {
    await letGo(context, session, operation);
  }
}

async function writeDownEnd(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  by: 'user' | 'policy',
): Promise<Session> {
  const seen = await observeSession(context, session);
  assertSeen(seen, 'resume');
  if (seen.server === 'unreachable') throw serverUnreachable(context, `resume "${session.name}"`);
  const processes = new LaunchProcesses(context, session);
  if (seen.server === 'gone' || seen.exit) await processes.awaitNone(HANG_UP_MS);
  const agentLives = seen.agent !== undefined && context.processes.isAlive(seen.agent);
  if (agentLives || (!seen.agent && seen.pane)) throw stillRuns(session);
  assertNothingLeft(context, session);
  drainSpool(context, session, session.launch);
  await keepConversation(context, session);
  if (seen.pane) await context.multiplexer.killSession(seen.pane.sessionId, session.launch);
  const { exit } = seen;
  const reason = seen.server === 'gone' ? 'the tmux server ended' : 'found ended';
  const wasAsked = wasAskedToEnd(context.files, launchFolder(context, session.launch));
  await releaseConversations(context, session.launch);
  return operation.update((tx) => {
    const current = tx.findSessionById(session.id) ?? session;
    if (current.launch !== session.launch) throw stillRuns(session);
    const launch = tx.findLaunch(current.launch);
    const ended = foundEnded(current, launch, { reason, exit, wasAsked, by }, context.clock);
    putEnded(tx, ended);
    return ended;
  });
}

function assertNothingLeft(context: FleetContext, session: Session): void {
  const { members } = new LaunchProcesses(context, session).look();
  const [first] = members;
  if (!first) return;
  throw new MamError(
    'session.wrong-state',
    `Cannot resume "${session.name}": ${members.length} process(es) of its former life still run, the first is ${first.pid}.`,
    { session: session.name, pids: members.map(({ pid }) => pid) },
    { hint: `mam stop ${session.name}` },
  );
}

function stillRuns(session: Session): MamError {
  return new MamError(
    'session.wrong-state',
    `Session "${session.name}" is running.`,
    { session: session.name },
    { hint: `mam send ${session.name} … speaks to it; mam stop ${session.name} ends it` },
  );
}
