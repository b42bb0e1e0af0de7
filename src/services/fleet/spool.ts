import { isMamError } from '../../domain/errors.ts';
import type { HookEvent } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import { type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import type { RegistryReader, RegistryTransaction } from '../../ports/registry.ts';
import type { FleetContext, ReadContext } from './context.ts';
import { conversationExists } from './conversations.ts';

/** `<epoch s>.<pid>.<event>`; names that begin with a dot are still being written. */
const SPOOL_NAME = /^(\d+)\.\d+\.([A-Za-z0-9_-]+)$/;
/** The hook script cuts payloads at 4 MiB. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
/** More than this many waiting files of one launch: the oldest are dropped and counted. */
const MAX_PENDING = 10_000;
/** Events remembered for each launch: evidence and activity need the newest only. */
const MAX_REMEMBERED = 1_000;

/**
 * Hook events of a launch that no command has taken into the registry yet, oldest first. Reads only.
 *
 * Text in a spool file is the agent's own word: what cannot be read is skipped.
 */
export function readSpool(
  { workspace, files }: { readonly workspace: Workspace; readonly files: Files },
  launch: string,
  adapter: AgentAdapter,
): readonly HookEvent[] {
  const folder = workspacePaths.spool(workspace, launch);
  const events: HookEvent[] = [];
  for (const name of newest(files.list(folder)).kept) {
    const event = readEvent(files, `${folder}/${name}`, name, adapter);
    if (event) events.push(event);
  }
  return events.sort(inOrder);
}

/** What is over the bound is not even read: a flood must not hold up who looks. */
function newest(names: readonly string[]): {
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
} {
  const events = names.filter((name) => SPOOL_NAME.test(name));
  if (events.length <= MAX_PENDING) return { kept: events, dropped: [] };
  const second = (name: string) => Number(SPOOL_NAME.exec(name)?.[1]);
  const byAge = [...events].sort((a, b) => second(a) - second(b));
  return { kept: byAge.slice(-MAX_PENDING), dropped: byAge.slice(0, -MAX_PENDING) };
}

function readEvent(
  files: Files,
  path: string,
  name: string,
  adapter: AgentAdapter,
): HookEvent | undefined {
  const kind = SPOOL_NAME.exec(name)?.[2];
  const stat = kind === undefined ? undefined : files.stat(path);
  if (kind === undefined || stat?.kind !== 'file') return undefined;
  const text = payloadOf(files, path);
  if (text === undefined) return undefined;
  const fact = adapter.readHook(kind, parseJson(text)) ?? ({ kind: 'noted', event: kind } as const);
  return { name, atMs: stat.modifiedMs, fact };
}

/** Undefined for what cannot be read, such as a link to what is no file. */
function payloadOf(files: Files, path: string): string | undefined {
  try {
    return files.readPart(path, MAX_PAYLOAD_BYTES, 'start') ?? '';
  } catch (error) {
    if (!isMamError(error, 'file.unreadable')) throw error;
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Takes the waiting events of a launch into the registry with their effects, then removes the files.
 * A second drainer inserts nothing. The launch is the one of the folder, so an event of an old launch
 * cannot reach a new one. Without events it still follows a conversation whose file has appeared since.
 */
export function drainSpool(context: DrainContext, session: Session, launch: string): void {
  const adapter = context.adapters.get(session.agent);
  const isOurs = isOurFolder(context, launch);
  if (isOurs) dropOldest(context, session, launch);
  const events = isOurs ? readSpool(context, launch, adapter) : [];
  const target = findNewConversation(context, adapter, session.id, launch, events);
  if (events.length === 0 && target === undefined) return;
  context.registry.update((tx) => {
    for (const event of events) tx.addHookEvent(launch, event);
    tx.trimHookEvents(launch, MAX_REMEMBERED);
    applyFacts(tx, session.id, launch, events, target);
  });
  const folder = workspacePaths.spool(context.workspace, launch);
  for (const { name } of events) context.files.remove(`${folder}/${name}`);
}

/** More than are kept: the oldest go unread, and it is said how many. */
function dropOldest(
  { files, workspace, logger }: DrainContext,
  { name }: Session,
  launch: string,
): void {
  const folder = workspacePaths.spool(workspace, launch);
  const { dropped } = newest(files.list(folder));
  if (dropped.length === 0) return;
  for (const each of dropped) files.remove(`${folder}/${each}`);
  logger.warn(
    `${dropped.length} hook events of "${name}" were dropped: more than ${MAX_PENDING} had waited.`,
  );
}

/** What is drained is deleted: not through a link that leads elsewhere. */
function isOurFolder(
  { workspace, files }: Pick<ReadContext, 'workspace' | 'files'>,
  launch: string,
): boolean {
  const real = files.realPath(workspacePaths.launch(workspace, launch));
  return files.realPath(workspacePaths.spool(workspace, launch)) === `${real}/spool`;
}

type DrainContext = Pick<
  FleetContext,
  'workspace' | 'files' | 'registry' | 'adapters' | 'env' | 'readRegistry' | 'logger'
>;

/** The conversation that a drain would move the session to; undefined when it stays where it is. */
export function pendingMove(
  context: Omit<DrainContext, 'registry'>,
  session: Session,
): string | undefined {
  const adapter = context.adapters.get(session.agent);
  const waiting = readSpool(context, session.launch, adapter);
  return findNewConversation(context, adapter, session.id, session.launch, waiting);
}

/**
 * The conversation that the agent says it is on, when that is not the recorded one and its file exists:
 * an agent names it before it has written it. Reads files: outside of any transaction.
 */
function findNewConversation(
  context: Omit<DrainContext, 'registry'>,
  adapter: AgentAdapter,
  sessionId: string,
  launch: string,
  waiting: readonly HookEvent[],
): string | undefined {
  if (!isToldByHook(adapter)) return undefined;
  const wanted = context.readRegistry((reader) => {
    const session = reader.findSessionById(sessionId);
    const id = toldConversation(merge(reader.hookEvents(launch), waiting), session);
    return session && id !== undefined && mayMoveTo(reader, session, id)
      ? { session, id }
      : undefined;
  });
  if (!wanted || !conversationExists(context, adapter, wanted.session, wanted.id)) return undefined;
  return wanted.id;
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
 * session that was adopted the start was not heard: there the newest submission tells.
 */
function toldConversation(
  events: readonly HookEvent[],
  session: Session | undefined,
): string | undefined {
  const isHeard = session?.conversationId !== null;
  const tells = ({ fact }: HookEvent) =>
    fact.kind === 'conversation-started' || (!isHeard && fact.kind === 'prompt-submitted');
  return events.findLast(tells)?.fact.conversationId;
}

/**
 * What a session learns from its events: that it has been spoken to, and the conversation it is on now.
 *
 * @param target - The conversation to move to; its file was seen. It is not taken when a newer start was
 *   stored meanwhile, or when another session owns it.
 */
function applyFacts(
  tx: RegistryTransaction,
  sessionId: string,
  launch: string,
  events: readonly HookEvent[],
  target: string | undefined,
): void {
  const session = tx.findSessionById(sessionId);
  if (!session || session.launch !== launch) return;
  const prompted = session.prompted || events.some(({ fact }) => fact.kind === 'prompt-submitted');
  const isNewest =
    target !== undefined && target === toldConversation(tx.hookEvents(launch), session);
  const moves = isNewest && mayMoveTo(tx, session, target);
  if (!moves && prompted === session.prompted) return;
  tx.putSession({ ...session, prompted, ...(moves ? movedTo(session, target) : {}) });
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

/** Events of a session's launch: those stored in the registry, and those still in the spool, in order. */
export function allEvents(
  context: ReadContext,
  session: Session,
  stored = context.readRegistry((reader) => reader.hookEvents(session.launch)),
): { readonly events: readonly HookEvent[]; readonly waiting: number } {
  const waiting = readSpool(context, session.launch, context.adapters.get(session.agent));
  return { events: merge(stored, waiting), waiting: waiting.length };
}

/** A waiting event may be older than one that was stored already, or be stored itself by now. */
function merge(stored: readonly HookEvent[], waiting: readonly HookEvent[]): readonly HookEvent[] {
  const names = new Set(stored.map(({ name }) => name));
  const fresh = waiting.filter(({ name }) => !names.has(name));
  return fresh.length === 0 ? stored : [...stored, ...fresh].sort(inOrder);
}

/** By file time, then name. */
function inOrder(a: HookEvent, b: HookEvent): number {
  return a.atMs - b.atMs || (a.name < b.name ? -1 : 1);
}
