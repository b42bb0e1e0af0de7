import { randomUUID } from 'node:crypto';
import { visibleLine } from '../../base/visible.ts';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { assertNotHeldElsewhere } from './claims.ts';
import type { FleetContext } from './context.ts';
import { assertNobodyElseHolds } from './conversation-holder.ts';
import { movedTo } from './conversation-move.ts';
import { lookUpConversation } from './conversations.ts';
import type { ConversationCandidate } from './find-conversation.ts';

/** Of a first message that is shown to choose by. */
const SHOWN_CHARS = 60;

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
 * @param candidates - Where none is known: those that may be meant.
 * @throws {MamError} `conversation.unknown` with the path looked at, `conversation.claimed`.
 */
export function chooseConversation(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  fresh: boolean,
  candidates: readonly ConversationCandidate[],
): ResumeTarget {
  if (!session.resumable) throw purged(session);
  const id = session.conversationId;
  if (id === null) {
    if (session.prompted && !fresh) throw conversationUnknown(session, candidates);
    return freshStart(adapter, session, []);
  }
  const lookup = lookUpConversation(context, adapter, session, id);
  if (lookup.found) {
    assertNotHeldElsewhere(context, session, id);
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

function purged(session: Session): MamError {
  return new MamError(
    'conversation.unknown',
    `Session "${session.name}" is not resumable: its conversation was purged.`,
    { session: session.name },
    { hint: `The name is free: mam create ${session.name} …` },
  );
}

/** There is one, and neither hook nor store tells which: a person may know. */
function conversationUnknown(
  { name }: Session,
  candidates: readonly ConversationCandidate[],
): MamError {
  const listed = [...candidates]
    .sort((a, b) => b.modifiedMs - a.modifiedMs)
    .map(({ id, firstPrompt, modifiedMs }) => ({
      conversation_id: id,
      modified_at: new Date(modifiedMs).toISOString(),
      first_message: visibleLine((firstPrompt ?? '').trim()).slice(0, SHOWN_CHARS),
    }));
  const lines = listed.map(
    (each) => `\n  ${each.conversation_id}  ${each.modified_at}  ${each.first_message}`,
  );
  const choose = `mam resume ${name} --conversation ID takes one, `;
  return new MamError(
    'conversation.unknown',
    `Which conversation session "${name}" was on is not known${listed.length > 0 ? '; it may be' : ''}.${lines.join('')}`,
    { session: name, candidates: listed },
    { hint: `${listed.length > 0 ? choose : ''}mam resume ${name} --fresh begins a new one` },
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
