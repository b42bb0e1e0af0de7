import type { HookEvent } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { type Workspace, workspacePaths } from '../workspace/workspace.ts';
import type { FleetContext, ReadContext } from './context.ts';
import { conversationExists } from './conversations.ts';

/** `<epoch s>.<pid>.<event>`; names that begin with a dot are still being written. */
const SPOOL_NAME = /^\d+\.\d+\.([A-Za-z0-9_-]+)$/;
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
  for (const name of files.list(folder)) {
    const event = readEvent(files, `${folder}/${name}`, name, adapter);
    if (event) events.push(event);
  }
  return events.sort((a, b) => a.atMs - b.atMs || (a.name < b.name ? -1 : 1));
}

function readEvent(
  files: Files,
  path: string,
  name: string,
  adapter: AgentAdapter,
): HookEvent | undefined {
  const kind = SPOOL_NAME.exec(name)?.[1];
  const stat = kind === undefined ? undefined : files.stat(path);
  if (kind === undefined || stat?.kind !== 'file') return undefined;
  const text = files.readPart(path, MAX_PAYLOAD_BYTES, 'start') ?? '';
  const fact = adapter.readHook(kind, parseJson(text)) ?? ({ kind: 'noted', event: kind } as const);
  return { name, atMs: stat.modifiedMs, fact };
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
 * cannot reach a new one.
 */
export function drainSpool(
  context: Pick<FleetContext, 'workspace' | 'files' | 'registry' | 'adapters' | 'env' | 'clock'>,
  session: Session,
  launch: string,
): void {
  const adapter = context.adapters.get(session.agent);
  const events = readSpool(context, launch, adapter);
  if (events.length === 0) return;
  const kept = events.slice(-MAX_PENDING);
  const existing = new Set(
    conversationIds(kept).filter((id) => conversationExists(context, adapter, session, id)),
  );
  context.registry.update((tx) => {
    for (const event of kept) tx.addHookEvent(launch, event);
    tx.trimHookEvents(launch, MAX_REMEMBERED);
    applyFacts(tx, session.id, launch, kept, existing);
  });
  const folder = workspacePaths.spool(context.workspace, launch);
  for (const { name } of events) context.files.remove(`${folder}/${name}`);
}

/**
 * What a session learns from its events: the conversation it is on now (only once its file exists, and
 * never one that another session owns), and that it has been spoken to.
 */
function applyFacts(
  tx: RegistryTransaction,
  sessionId: string,
  launch: string,
  events: readonly HookEvent[],
  existing: ReadonlySet<string>,
): void {
  const session = tx.findSessionById(sessionId);
  if (!session || session.launch !== launch) return;
  const newest = conversationIds(events).findLast((id) => existing.has(id));
  const isForeign =
    newest !== undefined &&
    (tx.findConversationOwner(session.agent, newest)?.id ?? session.id) !== session.id;
  const prompted = session.prompted || events.some(({ fact }) => fact.kind === 'prompt-submitted');
  const moved = newest !== undefined && newest !== session.conversationId && !isForeign;
  if (!moved && prompted === session.prompted) return;
  tx.putSession({ ...session, prompted, ...(moved ? movedTo(session, newest) : {}) });
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

function conversationIds(events: readonly HookEvent[]): string[] {
  return events.flatMap(({ fact }) => fact.conversationId ?? []);
}

/** Events of a session's launch: the newest in the registry, and those still in the spool. */
export function allEvents(
  context: ReadContext,
  session: Session,
  newest?: number,
): { readonly events: readonly HookEvent[]; readonly waiting: number } {
  const stored = context.readRegistry((reader) => reader.hookEvents(session.launch, newest));
  const waiting = readSpool(context, session.launch, context.adapters.get(session.agent));
  const names = new Set(stored.map(({ name }) => name));
  const fresh = waiting.filter(({ name }) => !names.has(name));
  return { events: [...stored, ...fresh], waiting: waiting.length };
}
