import { crashPoint } from '../../base/crash-point.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import { isoNow } from '../../ports/clock.ts';
import { afterwards } from './afterwards.ts';
import type { FleetContext } from './context.ts';
import { isPlainId, storeFolderOf } from './conversations.ts';
import { launchFolder } from './launch-records.ts';
import type { HeldOperation } from './operations.ts';

export interface PurgeReport {
  readonly removed: readonly string[];
  /** Files that quote the conversation and are left: they are shared, or a person's. */
  readonly quotedIn: readonly string[];
  /** Conversations that should be there and were not found. */
  readonly missing: readonly MissingConversation[];
}

export interface MissingConversation {
  /** Null when there was one and nobody knows which. */
  readonly conversationId: string | null;
  /** Paths looked at; `*` stands for one path component. */
  readonly looked: readonly string[];
}

const PURGED = 'purged';

/**
 * Ends a stopped session for good: the agent's files of exactly its conversations are removed, and our
 * own copies of them with the rows that hold them. The name is free. The session forgets the conversations
 * that are gone; one that was not found stays known, so that a later purge can find it.
 */
export async function purge(
  context: FleetContext,
  operation: HeldOperation,
  stopped: Session,
): Promise<{ readonly session: Session; readonly purge: PurgeReport }> {
  const sought = conversationsOf(context, stopped);
  const missing = sought.filter(({ isMissing }) => isMissing);
  const isUnknown = sought.length === 0 && stopped.prompted && stopped.resumable;
  if (missing.length === 0) recordBegun(operation, stopped);
  const removed = new Set(sought.flatMap(({ files }) => files));
  for (const path of removed) context.files.remove(path);
  for (const { id } of launchesOf(context, stopped)) {
    context.files.remove(launchFolder(context, id));
  }
  context.files.remove(launchFolder(context, stopped.launch));
  crashPoint('purge.removed');
  const session = recordPurged(context, operation, stopped, missing);
  crashPoint('purge.recorded');
  await scrub(context, session);
  const quotedIn = new Set(sought.flatMap((conversation) => quotesOf(context, conversation)));
  const report = {
    removed: [...removed],
    quotedIn: [...quotedIn],
    missing: [
      ...missing.map(({ conversationId, looked }) => ({ conversationId, looked })),
      // One that was adopted may be on a conversation that nobody knows.
      ...(isUnknown ? [{ conversationId: null, looked: [] }] : []),
    ],
  };
  return { session, purge: report };
}

interface Conversation {
  readonly conversationId: string;
  readonly looked: readonly string[];
  /** What a purge removes. */
  readonly files: readonly string[];
  /** Patterns of shared files that may quote it. */
  readonly shared: readonly string[];
  readonly isMissing: boolean;
}

/** Every conversation that the session ever was on, looked for wherever one of its launches kept it. */
function conversationsOf(context: FleetContext, session: Session): readonly Conversation[] {
  const { adapters, files } = context;
  const adapter = adapters.get(session.agent);
  const { store } = adapter;
  const keepers = [session, ...launchesOf(context, session).map((launch) => launch.session)];
  const folders = new Set(keepers.map((keeper) => storeFolderOf(context, adapter, keeper)));
  folders.add(store.folder(context.env));
  // A purge that was killed has removed some of them.
  const isBegun = !session.resumable && session.ended?.reason !== PURGED;
  return idsOf(session).map((conversationId) => {
    const queries = isPlainId(conversationId)
      ? [...folders].map((folder) => ({ conversationId, cwd: session.cwd, folder }))
      : [];
    const looked = queries.flatMap(store.paths);
    const isFound = looked.flatMap(files.glob).length > 0;
    // Where nobody ever said anything, there may be none.
    const isExpected = session.prompted || conversationId !== session.conversationId;
    return {
      conversationId,
      looked,
      files: queries.flatMap(store.purgePaths).flatMap(files.glob),
      shared: queries.flatMap(store.quotedIn),
      isMissing: isExpected && !isFound && !isBegun,
    };
  });
}

function idsOf({ conversationHistory, conversationId }: Session): readonly string[] {
  return [...conversationHistory, ...(conversationId === null ? [] : [conversationId])];
}

function launchesOf({ registry }: FleetContext, { id }: Session) {
  return registry.read((reader) => reader.launches(id));
}

/** From here on its files may be half gone: nothing resumes it, and the next purge misses none of them. */
function recordBegun(operation: HeldOperation, session: Session): void {
  operation.update((tx) => {
    const current = tx.findSessionById(session.id) ?? session;
    tx.putSession({ ...current, resumable: false });
  });
}

function recordPurged(
  { clock }: FleetContext,
  operation: HeldOperation,
  session: Session,
  missing: readonly Conversation[],
): Session {
  const isKept = (id: string) => missing.some(({ conversationId }) => conversationId === id);
  return operation.update((tx) => {
    const current = tx.findSessionById(session.id) ?? session;
    const { conversationId, conversationHistory } = current;
    const exitCode = current.ended?.exitCode ?? null;
    const purged: Session = {
      ...current,
      status: 'terminated',
      resumable: false,
      conversationId: conversationId !== null && isKept(conversationId) ? conversationId : null,
      conversationHistory: conversationHistory.filter(isKept),
      lastScreen: null,
      ended: { reason: PURGED, exitCode, at: isoNow(clock), by: 'user' },
    };
    tx.putSession(purged);
    tx.deleteDeliveries(current.id);
    // With its hook events: they hold answers.
    tx.deleteLaunches(current.id);
    return purged;
  });
}

/** The purge itself is done and recorded: what deleted rows left in the file can be purged again. */
async function scrub(context: FleetContext, { name }: Session): Promise<void> {
  const failure = `The registry's file may still hold parts of the conversation of "${name}"; the same command tries again`;
  await afterwards(context, failure, () => context.registry.scrub());
}

/** Files that are shared, and copies of our own files that a person or an upgrade put aside. */
function quotesOf(context: FleetContext, { conversationId, shared }: Conversation): string[] {
  const { stateFolder } = context.workspace;
  const aside = [
    `${workspacePaths.face(stateFolder)}.edited-*`,
    `${workspacePaths.database(stateFolder)}.v*.bak`,
    `${stateFolder}/copied-*`,
  ];
  const paths = [...shared, ...aside].flatMap(context.files.glob);
  return paths.filter((path) => mentions(context, path, conversationId));
}

/** A folder may hold quotes of anything: it is named as it is. */
function mentions({ files }: FleetContext, path: string, conversationId: string): boolean {
  const stat = files.stat(path);
  if (stat?.kind === 'folder') return files.list(path).length > 0;
  return (files.readText(path) ?? '').includes(conversationId);
}
