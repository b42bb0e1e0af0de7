import { crashPoint } from '../../base/crash-point.ts';
import type { Session } from '../../domain/session.ts';
import { isoNow } from '../../ports/clock.ts';
import type { FleetContext } from './context.ts';
import { isPlainId } from './conversations.ts';
import { launchFolder } from './launch-records.ts';
import type { HeldOperation } from './operations.ts';

export interface PurgeReport {
  readonly removed: readonly string[];
  /** Shared files that quote the conversation and are therefore left. */
  readonly quotedIn: readonly string[];
}

/**
 * Ends a stopped session for good: the agent's files of exactly its conversations are removed, and our
 * own copies of them with the rows that hold them. The name is free.
 */
export function purge(
  context: FleetContext,
  operation: HeldOperation,
  stopped: Session,
): { readonly session: Session; readonly purge: PurgeReport } {
  const report = removeConversations(context, stopped);
  crashPoint('purge.removed');
  const session = operation.update((tx) => {
    const current = tx.findSessionById(stopped.id) ?? stopped;
    const exitCode = current.ended?.exitCode ?? null;
    const purged: Session = {
      ...current,
      status: 'terminated',
      resumable: false,
      lastScreen: null,
      ended: { reason: 'purged', exitCode, at: isoNow(context.clock), by: 'user' },
    };
    tx.putSession(purged);
    tx.deleteDeliveries(current.id);
    // With its hook events: they hold answers.
    tx.deleteLaunches(current.id);
    return purged;
  });
  crashPoint('purge.recorded');
  context.files.remove(launchFolder(context, session.launch));
  return { session, purge: report };
}

/** Of every conversation that the session ever was on. */
function removeConversations(context: FleetContext, session: Session): PurgeReport {
  const { adapters, files, env } = context;
  const { store } = adapters.get(session.agent);
  const ids = [...session.conversationHistory, session.conversationId ?? ''].filter(isPlainId);
  const removed: string[] = [];
  const quotedIn = new Set<string>();
  for (const conversationId of ids) {
    const query = { conversationId, cwd: session.cwd, env };
    for (const path of store.purgePaths(query).flatMap(files.glob)) {
      files.remove(path);
      removed.push(path);
    }
    for (const path of store.quotedIn(query).flatMap(files.glob)) {
      if (mentions(context, path, conversationId)) quotedIn.add(path);
    }
  }
  return { removed, quotedIn: [...quotedIn] };
}

/** A folder may hold quotes of anything: it is named as it is. */
function mentions({ files }: FleetContext, path: string, conversationId: string): boolean {
  const stat = files.stat(path);
  if (stat?.kind === 'folder') return files.list(path).length > 0;
  return (files.readText(path) ?? '').includes(conversationId);
}
