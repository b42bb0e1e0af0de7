import type { HookEvent } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import { foldFacts } from './activity-facts.ts';
import type { ReadContext } from './context.ts';
import { lookUpConversation } from './conversations.ts';

/** Enough for the last message of a conversation. */
const TAIL_BYTES = 256 * 1024;

/**
 * Events, with the end of the usage limit that the newest of them tells of: where its hook does not say,
 * the agent's own file may.
 */
export function withLimitEnd(
  context: ReadContext,
  session: Session,
  events: readonly HookEvent[],
): readonly HookEvent[] {
  const told = foldFacts(events);
  if (told?.state !== 'limited' || told.untilMs !== undefined) return events;
  const untilMs = limitEnd(context, session);
  if (untilMs === undefined) return events;
  return events.map((event) =>
    event.fact.kind === 'turn-failed' && event.atMs === told.atMs
      ? { ...event, fact: { ...event.fact, untilMs } }
      : event,
  );
}

/** When the usage limit lifts that ended the last turn of its conversation, as the agent's own file has it. */
export function limitEnd(context: ReadContext, session: Session): number | undefined {
  const { conversationId } = session;
  if (conversationId === null) return undefined;
  const adapter = context.adapters.get(session.agent);
  const { found } = lookUpConversation(context, adapter, session, conversationId);
  const tail = found && context.files.readPart(found.path, TAIL_BYTES, 'end');
  return tail === undefined ? undefined : adapter.store.limitUntil(tail);
}
