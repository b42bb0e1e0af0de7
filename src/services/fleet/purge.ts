import type { Session } from '../../domain/session.ts';
import type { FleetContext } from './context.ts';

export interface PurgeReport {
  readonly removed: readonly string[];
  /** Shared files that quote the conversation and are therefore left. */
  readonly quotedIn: readonly string[];
}

/** Removes exactly this session's conversations, earlier ids included, from the agent's store. */
export function purgeConversation(context: FleetContext, session: Session): PurgeReport {
  const { adapters, files, env } = context;
  const { store } = adapters.get(session.agent);
  const ids = [...session.conversationHistory, session.conversationId ?? ''].filter(Boolean);
  const removed: string[] = [];
  const quotedIn = new Set<string>();
  for (const conversationId of ids) {
    const query = { conversationId, cwd: session.cwd, env };
    for (const pattern of store.purgePaths(query)) {
      for (const path of files.glob(pattern)) {
        files.remove(path);
        removed.push(path);
      }
    }
    for (const pattern of store.quotedIn(query)) {
      for (const path of files.glob(pattern)) {
        if (mentions(context, path, conversationId)) quotedIn.add(path);
      }
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
