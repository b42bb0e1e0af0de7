import { randomUUID } from 'node:crypto';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { FleetContext } from './context.ts';
import { lookUpConversation, storeFolderOf } from './conversations.ts';
import { movedTo } from './spool.ts';

export interface ResumeTarget {
  /** On the conversation that it is brought back on. */
  readonly session: Session;
  readonly kind: 'new' | 'resume';
  readonly warnings: readonly string[];
}

/**
 * The last check before any resume command is built: the conversation is ours, and exists.
 *
 * @param fresh - A new conversation may begin when the old one is not there.
 * @throws {MamError} `conversation.unknown` with the path looked at, `conversation.claimed`.
 */
export function chooseConversation(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  fresh: boolean,
): ResumeTarget {
  if (!session.resumable) throw purged(session);
  const id = session.conversationId;
  if (id === null) {
    if (session.prompted && !fresh) throw conversationUnknown(session);
    return freshStart(adapter, session, []);
  }
  const lookup = lookUpConversation(context, adapter, session, id);
  if (lookup.found) {
    assertNobodyElseHolds(context, adapter, session, id);
    const elsewhere = lookup.found.inPlace
      ? []
      : [`Conversation ${id} was found at ${lookup.found.path}, not where ${session.cwd} says.`];
    return { session: { ...session, prompted: true }, kind: 'resume', warnings: elsewhere };
  }
  // Nobody ever spoke to it, so there is nothing that could be missing.
  if (!session.prompted) {
    const why = `Nobody had spoken to "${session.name}", so it has no conversation yet; a new one begins.`;
    return freshStart(adapter, session, [why]);
  }
  if (!fresh) throw conversationMissing(session, id, lookup);
  return freshStart(adapter, session, [
    `Conversation ${id} is not there (${lookup.reason}); a new one begins.`,
  ]);
}

/** An id that never had a prompt names no conversation: then there is nothing to remember. */
function freshStart(
  adapter: AgentAdapter,
  session: Session,
  warnings: readonly string[],
): ResumeTarget {
  const moved = movedTo(session, randomUUID());
  const isMinted = adapter.card.conversationId === 'minted';
  const next: Session = {
    ...session,
    conversationId: isMinted ? moved.conversationId : null,
    conversationHistory: session.prompted ? moved.conversationHistory : session.conversationHistory,
    prompted: false,
  };
  return { session: next, kind: 'new', warnings };
}

/** The agent itself does not refuse a second writer: two would destroy the conversation. */
function assertNobodyElseHolds(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  id: string,
): void {
  const { files, processes } = context;
  if (!adapter.stateFile) return;
  const folder = storeFolderOf(context, adapter, session);
  for (const path of files.glob(adapter.stateFile.all(folder))) {
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

function purged(session: Session): MamError {
  return new MamError(
    'conversation.unknown',
    `Session "${session.name}" is not resumable: its conversation was purged.`,
    { session: session.name },
    { hint: `The name is free: mam create ${session.name} …` },
  );
}

/** An adopted session: there is a conversation, and neither hook nor state file told which. */
function conversationUnknown({ name }: Session): MamError {
  return new MamError(
    'conversation.unknown',
    `Session "${name}" was adopted, and which conversation it was on is not known.`,
    { session: name },
    { hint: `mam resume ${name} --fresh begins a new one` },
  );
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
