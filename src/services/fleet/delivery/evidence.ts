import type { Delivery, DeliveryEvidence } from '../../../domain/delivery.ts';
import type { HookEvent } from '../../../domain/hook-fact.ts';
import type { Session } from '../../../domain/session.ts';
import type { TypingPlan } from '../../../ports/agent-adapter.ts';
import type { ReadContext } from '../context.ts';
import { lookUpConversation } from '../conversations.ts';
import type { Observation } from '../observe.ts';

/** File times may lag the clock by a tick of the file system. Milliseconds. */
const FILE_TIME_SLACK_MS = 20;

/**
 * The hook that proves that the agent took this delivery: it carries our hash. Each hook event and each
 * transcript entry proves one delivery only.
 */
export function evidenceByHook(
  context: ReadContext,
  delivery: Delivery,
  events: readonly HookEvent[],
): DeliveryEvidence | undefined {
  const since = (delivery.typedAtMs ?? 0) - FILE_TIME_SLACK_MS;
  for (const { name, atMs, fact } of events) {
    const fits = fact.kind === 'prompt-submitted' && fact.promptHash === delivery.hash;
    if (!fits || atMs < since) continue;
    const user = context.readRegistry((reader) =>
      reader.findDeliveryByEvidence(delivery.launch, name),
    );
    if (user && user.id !== delivery.id) continue;
    return { source: 'hook', event: name, at: new Date(atMs).toISOString() };
  }
  return undefined;
}

/** The same from the agent's transcript; reads the whole file, so not for every look. */
export function evidenceByTranscript(
  context: ReadContext,
  session: Session,
  delivery: Delivery,
): DeliveryEvidence | undefined {
  const since = (delivery.typedAtMs ?? 0) - FILE_TIME_SLACK_MS;
  const prompts = readPrompts(context, session).filter(
    ({ hash, atMs }) => hash === delivery.hash && atMs >= since,
  );
  for (const { atMs } of prompts) {
    const event = `transcript.${delivery.hash.slice(0, 16)}.${atMs}`;
    const user = context.readRegistry((reader) =>
      reader.findDeliveryByEvidence(delivery.launch, event),
    );
    if (user && user.id !== delivery.id) continue;
    return { source: 'transcript', event, at: new Date(atMs).toISOString() };
  }
  return undefined;
}

function readPrompts(context: ReadContext, session: Session) {
  const adapter = context.adapters.get(session.agent);
  if (session.conversationId === null) return [];
  const lookup = lookUpConversation(context, adapter, session, session.conversationId);
  const text = lookup.found && context.files.readText(lookup.found.path);
  return text === undefined ? [] : adapter.store.prompts(text);
}

/**
 * For what fires no hook: the composer is empty and the screen is another than before Enter, or the
 * composer is gone. `before` is the composer's region and what stood above it.
 */
export function provenOnScreen(
  plan: TypingPlan,
  before: Observation | undefined,
  now: Observation,
): boolean {
  if (plan.evidence !== 'screen') return false;
  if (!now.agentAlive) return true;
  const composer = now.reading?.composer;
  if (composer && !composer.empty) return false;
  return before !== undefined && screenText(before) !== screenText(now) && !now.reading?.dialog;
}

function screenText({ screen }: Observation): string {
  return (screen?.rows ?? []).map(({ text }) => text.trimEnd()).join('\n');
}

/** The answer of the turn that this delivery started, once that turn is over. */
export function findAnswer(
  delivery: Delivery,
  events: readonly HookEvent[],
): { readonly answer: string | null; readonly failed: string | null } | undefined {
  const from = events.findIndex(({ name }) => name === delivery.evidence?.event);
  const provenAt = delivery.evidence ? Date.parse(delivery.evidence.at) : 0;
  const later = from >= 0 ? events.slice(from + 1) : events.filter(({ atMs }) => atMs > provenAt);
  for (const { fact } of later) {
    if (fact.kind === 'turn-ended') return { answer: fact.answer ?? null, failed: null };
    if (fact.kind === 'turn-failed') return { answer: null, failed: fact.error };
  }
  return undefined;
}
