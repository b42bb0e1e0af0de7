import { crashPoint } from '../../base/crash-point.ts';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { resolveExtraEnv } from './agent-environment.ts';
import { awaitReady, type StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { movedTo } from './conversation-move.ts';
import { assertPrompt } from './delivery/send.ts';
import { endFailedStart, failedStart, survivorsWords, withRecord } from './failed-start.ts';
import { type ConversationCandidate, findConversation } from './find-conversation.ts';
import { type StartReport, speakFirst } from './first-words.ts';
import { settleFormerLife } from './former-life.ts';
import { copiesOf, keepConversations } from './keep-conversation.ts';
import { environment, planLaunch } from './launch-plan.ts';
import { superseded } from './launch-records.ts';
import { recoverLaunches } from './launch-recovery.ts';
import { newLaunchId, type StartedLaunch, start } from './launching.ts';
import { letGo } from './operations.ts';
import { preflight } from './preflight.ts';
import { chooseConversation, type ResumeTarget } from './resume-target.ts';
import { assertUsableTmux } from './server-reach.ts';
import { withWhatRuns } from './what-runs.ts';

export interface ResumeRequest {
  readonly prompt?: string;
  /** Start a new conversation when the old one is not there. */
  readonly fresh: boolean;
  /** The conversation to come back on, where a person knows better than the registry. */
  readonly conversationId?: string;
  readonly timeoutMs: number;
  /** Who wants it; default `user`. */
  readonly by?: 'user' | 'policy';
  /** Asked of the session as it is when its start is reserved; default: always. */
  readonly mayResume?: (current: Session) => boolean;
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
  const adapter = context.adapters.named(session.agent);
  if (request.prompt !== undefined) assertPrompt(request.prompt, adapter);
  await assertUsableTmux(context);
  await recoverLaunches(context);
  // What was just finished or undone may have been this very session.
  const current = context.registry.read((reader) => reader.findSessionById(session.id)) ?? session;
  if (request.mayResume?.(current) === false) throw superseded(current);
  const ended = await settleFormerLife(context, current, request.by ?? 'user');
  crashPoint('resume.settled');
  const known = knownConversation(context, ended, request.conversationId);
  const extra = resolveExtraEnv(ended.envNames, context.env);
  const launch = newLaunchId(context);
  const env = environment(context, adapter, { ...ended, launch }, extra);
  // Where the next launch will look, which may be elsewhere than the former one did.
  const here: Session = { ...known.session, launch, storeFolder: adapter.store.folder(env) };
  await keepConversations(context, adapter);
  const target = chooseConversation(context, adapter, here, request.fresh, known.candidates);
  const next = target.session;
  const step = target.kind === 'resume' ? 'resumes its conversation' : 'begins a new conversation';
  const { name, conversationId } = next;
  context.logger.debug(step, { session: name, conversationId });
  const { permissions, cwd } = next;
  assertFolder(context, cwd);
  const binary = await preflight(context, { adapter, permissions, env, cwd, level: 'fast' });
  const plan = planLaunch(context, adapter, next, env, binary, target.kind);
  const copies = target.kind === 'resume' ? copiesOf(context, adapter, next) : [];
  const { host, boot, pidNamespace } = context.processes.self;
  const launched: Session = {
    ...next,
    status: 'running',
    adopted: false,
    startCommand: plan.argv,
    host,
    boot,
    pidNamespace,
  };
  crashPoint('resume.1');
  const started = await start(context, {
    kind: 'resume',
    former: ended,
    ...(request.mayResume ? { mayStart: request.mayResume } : {}),
    session: launched,
    adapter,
    plan: { ...plan, files: [...plan.files, ...copies] },
    env,
  });
  try {
    return await bringBack(context, started, ended, target, request);
  } catch (error) {
    throw withWhatRuns(context, started.session, error);
  } finally {
    await letGo(context, started.session, started.operation);
  }
}

async function bringBack(
  context: FleetContext,
  { session, operation }: StartedLaunch,
  former: Session,
  target: ResumeTarget,
  request: ResumeRequest,
): Promise<StartReport> {
  const outcome = await awaitReady(context, operation, session, request.timeoutMs);
  if (outcome.kind === 'ended' || outcome.kind === 'timeout') {
    const failure = await withRecord(context, session, outcome);
    const survivors = await endFailedStart(context, operation, session, failure, former);
    throw failedStart(session, failure, { survivors, warnings: target.warnings });
  }
  const cameUp = outcome.kind === 'ready' ? whatCameUp(outcome) : undefined;
  if (cameUp !== undefined && cameUp !== session.conversationId) {
    const failure = { kind: 'ended', status: undefined, screen: '' } as const;
    const survivors = await endFailedStart(context, operation, session, failure, former);
    throw notResumed(session, cameUp, survivors);
  }
  const spoken = await speakFirst(context, operation, session, outcome, request);
  return { ...spoken, warnings: target.warnings };
}

/** What its row says, or a person; else what the store still tells of its last launch. */
function knownConversation(
  context: FleetContext,
  session: Session,
  chosen: string | undefined,
): { readonly session: Session; readonly candidates: readonly ConversationCandidate[] } {
  if (chosen !== undefined) {
    assertIsFree(context, session, chosen);
    const moved = chosen === session.conversationId ? {} : movedTo(session, chosen);
    return { session: { ...session, ...moved, prompted: true }, candidates: [] };
  }
  if (session.conversationId !== null || !session.prompted) return { session, candidates: [] };
  const finding = findConversation(context, session);
  if (finding.id === undefined) return { session, candidates: finding.candidates };
  return { session: { ...session, ...movedTo(session, finding.id) }, candidates: [] };
}

function assertIsFree({ registry }: FleetContext, { agent, id, name }: Session, chosen: string) {
  const owner = registry.read((reader) => reader.findConversationOwner(agent, chosen));
  if (owner === undefined || owner.id === id) return;
  throw new MamError(
    'conversation.claimed',
    `Conversation ${chosen} belongs to session "${owner.name}"; "${name}" cannot take it.`,
    { session: name, holder: owner.name, conversation_id: chosen },
    { hint: `mam resume ${owner.name}` },
  );
}

/** What the agent says that it is on, which need not be what it was asked for. */
function whatCameUp({ conversationId, began }: Extract<StartOutcome, { kind: 'ready' }>) {
  return conversationId ?? (began ? 'a new one' : undefined);
}

function assertFolder({ files }: FleetContext, cwd: string): void {
  if (files.stat(cwd)?.kind === 'folder') return;
  throw new MamError('cwd.missing', `Cannot resume in ${cwd}: the folder is gone.`, { cwd });
}

function notResumed(session: Session, cameUp: string, survivors: readonly number[]): MamError {
  const ended = survivors.length === 0 ? '; it was ended again.' : `.${survivorsWords(survivors)}`;
  return new MamError(
    'conversation.not-resumed',
    `Session "${session.name}" was not resumed: asked for conversation ${session.conversationId}, ${cameUp} came up${ended}`,
    {
      session: session.name,
      asked: session.conversationId,
      came_up: cameUp,
      ...(survivors.length === 0 ? {} : { survivors }),
    },
  );
}
