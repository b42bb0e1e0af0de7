import { randomUUID } from 'node:crypto';
import { crashPoint } from '../../base/crash-point.ts';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { isoNow } from '../../ports/clock.ts';
import { resolveExtraEnv } from './agent-environment.ts';
import { awaitReady, type StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { lookUpConversation } from './conversations.ts';
import { environment, planLaunch, type StartReport, settleStart } from './create.ts';
import { assertPrompt, send } from './delivery/send.ts';
import { endFailedStart, failedStart } from './failed-start.ts';
import { recoverLaunches } from './launch-recovery.ts';
import { newLaunchId, start } from './launching.ts';
import { observeSession } from './observe.ts';
import { beginOperation } from './operations.ts';
import { preflight } from './preflight.ts';
import { sessionProcesses } from './session-processes.ts';
import { drainSpool, movedTo } from './spool.ts';

export interface ResumeRequest {
  readonly prompt?: string;
  /** Start a new conversation when the old one is not there. */
  readonly fresh: boolean;
  readonly timeoutMs: number;
}

/**
 * Brings a session back on its own conversation, or says why not.
 *
 * @throws {MamError} `session.wrong-state` while it lives, `conversation.unknown` with the path looked
 *   at, `conversation.not-resumed` when another conversation came up, `env.missing`, machine codes.
 */
export async function resume(
  context: FleetContext,
  session: Session,
  request: ResumeRequest,
): Promise<StartReport> {
  const adapter = context.adapters.get(session.agent);
  if (request.prompt !== undefined) assertPrompt(request.prompt, adapter);
  assertHere(context, session);
  await context.multiplexer.assertUsable();
  await recoverLaunches(context);
  const ended = await settleFormerLife(context, session);
  const target = chooseConversation(context, adapter, ended, request.fresh);
  const extra = resolveExtraEnv(ended.envNames, context.env);
  const next: Session = { ...target.session, launch: newLaunchId(context) };
  const env = environment(context, adapter, next, extra);
  const { permissions, cwd } = next;
  assertFolder(context, cwd);
  const binary = await preflight(context, { adapter, permissions, env, cwd, level: 'fast' });
  const plan = planLaunch(context, adapter, next, env, binary, target.kind);
  const launched: Session = {
    ...next,
    status: 'running',
    startCommand: plan.argv,
    host: context.processes.self.host,
    boot: context.processes.self.boot,
  };
  crashPoint('resume.1');
  const started = await start(context, { kind: 'resume', session: launched, adapter, plan, env });
  try {
    return await bringBack(context, started, ended, target, request);
  } finally {
    started.operation.end();
  }
}

interface ResumeTarget {
  readonly session: Session;
  readonly kind: 'new' | 'resume';
  readonly warnings: readonly string[];
}

async function bringBack(
  context: FleetContext,
  { session, operation }: Awaited<ReturnType<typeof start>>,
  former: Session,
  target: ResumeTarget,
  request: ResumeRequest,
): Promise<StartReport> {
  const outcome = await awaitReady(context, operation, session, request.timeoutMs);
  if (outcome.kind === 'ended' || outcome.kind === 'timeout') {
    await endFailedStart(context, operation, session, outcome, former);
    throw failedStart(session, outcome, undefined);
  }
  const cameUp = outcome.kind === 'ready' ? outcome.conversationId : undefined;
  if (cameUp !== undefined && cameUp !== session.conversationId) {
    const failure = { kind: 'ended', status: undefined, screen: '' } as const;
    await endFailedStart(context, operation, session, failure, former);
    throw notResumed(session, cameUp);
  }
  const up = settleStart(context, operation, session, outcome);
  operation.end();
  return speak(context, up, outcome, target, request);
}

async function speak(
  context: FleetContext,
  session: Session,
  outcome: Extract<StartOutcome, { kind: 'ready' | 'waiting' }>,
  { warnings }: ResumeTarget,
  { prompt, timeoutMs }: ResumeRequest,
): Promise<StartReport> {
  const waitingFor = outcome.kind === 'waiting' ? outcome.detail : null;
  if (prompt === undefined) return { session, waitingFor, delivery: null, warnings };
  const delivery = await send(context, session, { text: prompt, until: 'submitted', timeoutMs });
  const now = context.registry.read((reader) => reader.findSessionById(session.id)) ?? session;
  return { session: now, waitingFor, delivery, warnings };
}

function assertHere({ processes }: FleetContext, session: Session): void {
  if (session.host === processes.self.host || session.status !== 'running') return;
  throw new MamError(
    'session.wrong-state',
    `Session "${session.name}" runs on host ${session.host}; it is not judged from here.`,
    { session: session.name },
  );
}

/**
 * A session that still counts as running is resumed only when its processes are proven gone; its held
 * pane is ended first.
 */
async function settleFormerLife(context: FleetContext, session: Session): Promise<Session> {
  if (session.status !== 'running') {
    assertNothingLeft(context, session);
    return session;
  }
  const seen = await observeSession(context, session);
  if (seen.server === 'unreachable') throw unreachable(context, session);
  if (seen.agentAlive || (!seen.agent && seen.pane)) throw stillRuns(session);
  const operation = beginOperation(context, session, 'resume');
  try {
    drainSpool(context, session, session.launch);
    if (seen.pane) await context.multiplexer.killSession(seen.pane.sessionId, session.launch);
    assertNothingLeft(context, session);
    return operation.update((tx) => {
      const current = tx.findSessionById(session.id) ?? session;
      const at = isoNow(context.clock);
      const exitCode = seen.exit?.status ?? null;
      const reason = seen.server === 'gone' ? 'the tmux server ended' : 'found ended';
      const ended: Session = {
        ...current,
        status: exitCode === 0 ? 'stopped' : 'terminated',
        ended: { reason, exitCode, at, by: 'user' },
        tmux: null,
        pane: null,
        agentProcess: null,
      };
      tx.putSession(ended);
      const launch = tx.findLaunch(current.launch);
      if (launch) tx.putLaunch({ ...launch, state: 'ended', endedAt: at });
      return ended;
    });
  } finally {
    operation.end();
  }
}

function assertNothingLeft(context: FleetContext, session: Session): void {
  const { members } = sessionProcesses(context, session, []);
  const [first] = members;
  if (!first) return;
  throw new MamError(
    'session.wrong-state',
    `Cannot resume "${session.name}": ${members.length} process(es) of its former life still run, the first is ${first.pid}.`,
    { session: session.name, pids: members.map(({ pid }) => pid) },
    { hint: `mam stop ${session.name}` },
  );
}

/** The last check before any resume command is built: the conversation is ours, and exists. */
function chooseConversation(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  fresh: boolean,
): ResumeTarget {
  if (session.status === 'terminated' && !session.resumable) {
    throw new MamError(
      'conversation.unknown',
      `Session "${session.name}" is not resumable: its conversation was purged.`,
      { session: session.name },
      { hint: `The name is free: mam create ${session.name} …` },
    );
  }
  const id = session.conversationId;
  if (id === null || !session.prompted) return freshStart(session, []);
  const lookup = lookUpConversation(context, adapter, session, id);
  if (lookup.found) {
    assertNobodyElseHolds(context, adapter, session, id);
    const elsewhere = lookup.found.inPlace
      ? []
      : [`Conversation ${id} was found at ${lookup.found.path}, not where ${session.cwd} says.`];
    return { session, kind: 'resume', warnings: elsewhere };
  }
  if (!fresh) throw conversationMissing(session, id, lookup);
  return freshStart(session, [
    `Conversation ${id} is not there (${lookup.reason}); a new one begins.`,
  ]);
}

function freshStart(session: Session, warnings: readonly string[]): ResumeTarget {
  const moved = { ...session, ...movedTo(session, randomUUID()), prompted: false };
  // An id that never had a prompt names no conversation: nothing to remember.
  const history = session.prompted ? moved.conversationHistory : session.conversationHistory;
  return { session: { ...moved, conversationHistory: history }, kind: 'new', warnings };
}

/** The agent itself does not refuse a second writer: two would destroy the conversation. */
function assertNobodyElseHolds(
  { files, processes, env }: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  id: string,
): void {
  if (!adapter.stateFile) return;
  for (const path of files.glob(adapter.stateFile.all(env))) {
    const fact = adapter.stateFile.parse(files.readText(path) ?? '');
    if (fact?.conversationId !== id) continue;
    const info = processes.find(fact.pid);
    const lives = info && (fact.pidStart === undefined || fact.pidStart === info.startTicks);
    if (!lives) continue;
    throw new MamError(
      'conversation.claimed',
      `Conversation ${id} of "${session.name}" is open in process ${fact.pid}, which is not ours.`,
      { session: session.name, pid: fact.pid },
      { hint: 'End that program first; two writers would damage the conversation.' },
    );
  }
}

function assertFolder({ files }: FleetContext, cwd: string): void {
  if (files.stat(cwd)?.kind === 'folder') return;
  throw new MamError('cwd.missing', `Cannot resume in ${cwd}: the folder is gone.`, { cwd });
}

function conversationMissing(
  session: Session,
  id: string,
  { reason, looked }: { readonly reason: string; readonly looked: readonly string[] },
): MamError {
  return new MamError(
    'conversation.unknown',
    `Conversation ${id} of session "${session.name}" cannot be resumed: ${reason}.`,
    { session: session.name, conversation_id: id, looked },
    {
      hint: `mam resume ${session.name} --fresh begins a new one and keeps the old id in its history`,
    },
  );
}

function notResumed(session: Session, cameUp: string): MamError {
  return new MamError(
    'conversation.not-resumed',
    `Session "${session.name}" was not resumed: asked for conversation ${session.conversationId}, ${cameUp} came up; it was ended again.`,
    { session: session.name, asked: session.conversationId, came_up: cameUp },
  );
}

function unreachable({ multiplexer }: FleetContext, session: Session): MamError {
  return new MamError(
    'tmux.unreachable',
    `Cannot resume "${session.name}": the tmux server lives but its socket ${multiplexer.socket} is missing, so its agents may still run.`,
    { session: session.name, socket: multiplexer.socket },
    {
      hint: 'kill -USR1 PID_OF_TMUX_SERVER makes it create the socket again; mam doctor names the pid.',
    },
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
