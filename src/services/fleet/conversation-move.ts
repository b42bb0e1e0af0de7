import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { RegistryReader } from '../../ports/registry.ts';
import type { FleetContext } from './context.ts';
import { conversationExists, lookUpConversation } from './conversations.ts';
import { enteredPrompts, hadCommand, isTraceOf, traceOf } from './entered-prompts.ts';
import { findConversation } from './find-conversation.ts';
import { merge, readSpool } from './spool.ts';

/** Another conversation than the recorded one, and who tells of it. */
export interface Move {
  readonly conversationId: string;
  readonly by: 'hook' | 'store';
  /** The one that was recorded when it was found. */
  readonly from: string | null;
}

type MoveContext = Pick<
  FleetContext,
  'workspace' | 'files' | 'processes' | 'adapters' | 'env' | 'readRegistry' | 'clock' | 'claims'
>;

/** The conversation that a drain would move the session to; undefined when it stays where it is. */
export function pendingMove(context: MoveContext, session: Session): string | undefined {
  const adapter = context.adapters.get(session.agent);
  const waiting = readSpool(context, session.launch, adapter);
  return findMove(context, adapter, session.id, session.launch, waiting)?.conversationId;
}

/**
 * The conversation that the agent says it is on, when that is not the recorded one and its file exists:
 * an agent names it before it has written it. Where no hook tells of any, what the store tells. Reads
 * files: outside of any transaction.
 */
export function findMove(
  context: MoveContext,
  adapter: AgentAdapter,
  sessionId: string,
  launch: string,
  waiting: readonly HookEvent[],
): Move | undefined {
  const { session, events } = context.readRegistry((reader) => ({
    session: reader.findSessionById(sessionId),
    events: merge(reader.hookEvents(launch), waiting),
  }));
  if (!session || session.launch !== launch) return undefined;
  return toldByHook(context, adapter, session, events) ?? toldByStore(context, session, events);
}

function toldByHook(
  context: MoveContext,
  adapter: AgentAdapter,
  session: Session,
  events: readonly HookEvent[],
): Move | undefined {
  const fact = isToldByHook(adapter) ? findTold(adapter, events, session) : undefined;
  const told = fact?.conversationId;
  if (told === undefined) return undefined;
  const isNew = context.readRegistry((reader) => mayMoveTo(reader, session, told));
  // One that is named with a turn has begun; else an agent names it before it has written it.
  const isThere =
    fact?.kind === 'turn-started' || conversationExists(context, adapter, session, told);
  return isNew && isThere
    ? { conversationId: told, by: 'hook', from: session.conversationId }
    : undefined;
}

/** Only where hooks tell of no conversation in this launch: their word is the better one. */
export function toldByStore(
  context: MoveContext,
  session: Session,
  events: readonly HookEvent[],
): Move | undefined {
  const { conversationId: from, status } = session;
  if (status !== 'running' || events.some(namesConversation)) return undefined;
  if (from !== null && !mayHaveLeft(context, session, from)) return undefined;
  const { id } = findConversation(context, session);
  return id === undefined || id === from ? undefined : { conversationId: id, by: 'store', from };
}

/**
 * The newest prompt is not in the recorded conversation, and should be by now: at once after a command,
 * which may have begun another one; else once the agent has had its time to write it.
 */
function mayHaveLeft(context: MoveContext, session: Session, conversationId: string): boolean {
  const adapter = context.adapters.get(session.agent);
  const { newest, commanded } = context.readRegistry((reader) => ({
    newest: enteredPrompts(reader, session).at(-1),
    commanded: hadCommand(reader, session),
  }));
  if (newest === undefined || newest.evidence?.event?.startsWith(traceOf(conversationId)))
    return false;
  const isOverdue = context.clock.nowMs() - newest.typedAtMs > adapter.card.evidenceTimeoutMs;
  if (!commanded && !isOverdue) return false;
  const { found } = lookUpConversation(context, adapter, session, conversationId);
  const text = found && context.files.readText(found.path);
  return !adapter.store.prompts(text ?? '').some((prompt) => isTraceOf(prompt, newest));
}

/** Asked in the transaction that moves: a newer start was stored meanwhile, or another session has it. */
export function isStillNext(
  reader: RegistryReader,
  adapter: AgentAdapter,
  session: Session,
  move: Move,
): boolean {
  const { conversationId, by, from } = move;
  if (!mayMoveTo(reader, session, conversationId)) return false;
  if (by === 'store') return session.conversationId === from;
  const told = findTold(adapter, reader.hookEvents(session.launch), session);
  return conversationId === told?.conversationId;
}

/**
 * Whether a hook's word may move the session: not where the store alone knows the conversation, nor
 * where events of other sessions come by the same path.
 */
function isToldByHook({ card }: AgentAdapter): boolean {
  return card.conversationId !== 'store' && card.hookIdentity === 'path';
}

/**
 * What the newest start of a conversation names; every other event may be of one that was left. Of a
 * session that was adopted the start was not heard: there the newest submission tells. An agent that
 * chooses its ids itself begins a conversation with a turn.
 */
function findTold(
  { card }: AgentAdapter,
  events: readonly HookEvent[],
  session: Session,
): HookFact | undefined {
  const isHeard = session.conversationId !== null;
  const tells = ({ fact }: HookEvent) =>
    fact.kind === 'conversation-started' ||
    (!isHeard && fact.kind === 'prompt-submitted') ||
    (card.conversationId === 'hook' && fact.kind === 'turn-started');
  return events.findLast(tells)?.fact;
}

/** It is another one than now, and nobody else's. */
function mayMoveTo(reader: RegistryReader, session: Session, conversationId: string): boolean {
  if (conversationId === session.conversationId) return false;
  const owner = reader.findConversationOwner(session.agent, conversationId);
  return owner === undefined || owner.id === session.id;
}

/** The id changed while the session lives (clear, fork, resume inside the agent). */
export function movedTo(
  session: Session,
  conversationId: string,
): Pick<Session, 'conversationId' | 'conversationHistory'> {
  const earlier = session.conversationId === null ? [] : [session.conversationId];
  const history = [...session.conversationHistory, ...earlier];
  return { conversationId, conversationHistory: history.filter((id) => id !== conversationId) };
}

function namesConversation({ fact }: HookEvent): boolean {
  return fact.kind === 'conversation-started' || fact.kind === 'turn-started';
}
