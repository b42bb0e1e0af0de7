import { runsTurn } from '../../../domain/activity.ts';
import { type Delivery, type DeliveryEvidence, isProven } from '../../../domain/delivery.ts';
import type { HookEvent, HookFact } from '../../../domain/hook-fact.ts';
import type { Session } from '../../../domain/session.ts';
import type { TypingPlan } from '../../../ports/agent-adapter.ts';
import type { RegistryReader } from '../../../ports/registry.ts';
import type { FleetContext } from '../context.ts';
import { pendingMove } from '../conversation-move.ts';
import { lookUpConversation } from '../conversations.ts';
import { traceOf } from '../entered-prompts.ts';
import type { Observation } from '../observe.ts';
import { showsOverlay } from './readiness.ts';

/** File times may lag the clock by a tick of the file system. Milliseconds. */
const FILE_TIME_SLACK_MS = 20;
/** Earlier conversations of a session that are searched as well: the id may have just changed. */
const FORMER_CONVERSATIONS = 2;

/** Something that shows one submission, by the name that no other delivery may use. */
export interface Trace {
  readonly name: string;
  readonly atMs: number;
}

/**
 * Picks the evidence that no other delivery uses, as the registry stands. What it reads of files was read
 * before: it is asked once to find out, and again in the transaction that takes it.
 */
export type Claim = (reader: Pick<RegistryReader, 'deliveries'>) => DeliveryEvidence | undefined;

/**
 * The hook that proves that the agent took this delivery: it carries our hash. For a command, which
 * carries none, also what only a command can bring about.
 */
export function claimByHook(delivery: Delivery, events: readonly HookEvent[]): Claim {
  const since = earliest(delivery);
  const traces = events.filter(({ fact, atMs }) => atMs >= since && shows(delivery, fact));
  return claimFirst(delivery, traces, 'hook');
}

function shows({ kind, hash }: Delivery, fact: HookFact): boolean {
  switch (fact.kind) {
    case 'prompt-submitted':
      return fact.promptHash === hash;
    case 'conversation-started':
      return kind === 'command' && (fact.cause === 'clear' || fact.cause === 'compact');
    case 'conversation-ended':
      return kind === 'command' && !fact.processEnds;
    case 'compacting':
      return kind === 'command';
    default:
      return false;
  }
}

/**
 * Of an agent whose hook does not say which prompt began the turn: one began since ours was typed, and ours
 * has left the composer.
 */
export function claimByTurn(delivery: Delivery, { events, reading }: Observation): Claim {
  const isGone = delivery.kind === 'prompt' && reading?.composer?.empty === true;
  const since = earliest(delivery);
  const traces = events.filter(({ fact, atMs }) => fact.kind === 'turn-started' && atMs >= since);
  return claimFirst(delivery, isGone ? traces : [], 'hook');
}

/** The same from the agent's transcript; reads the whole file, so not for every look. */
export function claimByTranscript(
  context: FleetContext,
  session: Session,
  delivery: Delivery,
): Claim {
  const since = earliest(delivery);
  const traces = readConversations(context, session).flatMap(({ id, prompts }) =>
    prompts
      .filter(({ hash, atMs }) => hash === delivery.hash && atMs >= since)
      .map(({ hash, atMs }) => ({ name: `${traceOf(id)}${hash.slice(0, 16)}.${atMs}`, atMs })),
  );
  return claimFirst(delivery, traces, 'transcript');
}

/** Older traces are of an earlier submission of the same text. */
function earliest({ typedAtMs }: Delivery): number {
  return (typedAtMs ?? Number.POSITIVE_INFINITY) - FILE_TIME_SLACK_MS;
}

function claimFirst(
  delivery: Delivery,
  traces: readonly Trace[],
  source: DeliveryEvidence['source'],
): Claim {
  // One that was proven before this text was typed stands for none of what came after.
  const since = Math.floor(earliest(delivery));
  // Hooks are of one launch; a conversation goes on over several, so a repeat after a resume stands in it.
  const mayShare = ({ launch }: Delivery) => source === 'transcript' || launch === delivery.launch;
  return (reader) => {
    if (traces.length === 0) return undefined;
    const others = reader
      .deliveries(delivery.sessionId)
      .filter((other) => other.id !== delivery.id && mayShare(other))
      .filter(({ evidence }) => evidence !== null && Date.parse(evidence.at) >= since);
    const [first] = unclaimed(traces, delivery, others);
    return first && { source, event: first.name, at: new Date(first.atMs).toISOString() };
  };
}

/**
 * Traces that no other delivery stands for: each proves one submission. A delivery of the same text that
 * was proven by another kind of trace stands for the one nearest in time.
 */
export function unclaimed(
  traces: readonly Trace[],
  delivery: Pick<Delivery, 'hash'>,
  others: readonly Delivery[],
): readonly Trace[] {
  const proven = others.filter((other) => isProven(other) && other.evidence !== null);
  const named = new Set(proven.map(({ evidence }) => evidence?.event));
  let left = traces.filter(({ name }) => !named.has(name));
  const names = new Set(traces.map(({ name }) => name));
  for (const { hash, evidence } of proven) {
    if (hash !== delivery.hash || !evidence || names.has(evidence.event ?? '')) continue;
    const nearest = nearestTo(Date.parse(evidence.at), left);
    left = left.filter((trace) => trace !== nearest);
  }
  return left;
}

function nearestTo(atMs: number, traces: readonly Trace[]): Trace | undefined {
  const distance = (trace: Trace) => Math.abs(trace.atMs - atMs);
  return traces.reduce<Trace | undefined>(
    (best, trace) => (best && distance(best) <= distance(trace) ? best : trace),
    undefined,
  );
}

/**
 * The session's conversations as the agent stored them, the newest last; with one that its hook has just
 * named, or that it is found to have moved to.
 */
export function readConversations(context: FleetContext, session: Session) {
  const { store } = context.adapters.get(session.agent);
  const row = context.readRegistry((reader) => reader.findSessionById(session.id)) ?? session;
  const former = row.conversationHistory.slice(-FORMER_CONVERSATIONS);
  const next = pendingMove(context, row);
  const ids = [...former, row.conversationId ?? '', next ?? ''].filter((id) => id !== '');
  return ids.flatMap((id) => {
    const text = readConversation(context, session, id);
    if (text === undefined) return [];
    return [{ id, prompts: store.prompts(text), lastAnswer: store.lastAnswer(text) }];
  });
}

function readConversation(context: FleetContext, session: Session, id: string): string | undefined {
  const adapter = context.adapters.get(session.agent);
  const { found } = lookUpConversation(context, adapter, session, id);
  return found && context.files.readText(found.path);
}

/**
 * For what fires no hook. A command: it opened an overlay, or its text left the composer and what stands
 * above is another. A prompt: its text left the composer, and a turn runs that did not run before. The composer alone is no
 * sign: a menu that ate the text empties it too.
 */
export function provenOnScreen(
  plan: TypingPlan,
  before: Observation | undefined,
  now: Observation,
): boolean {
  if (!before) return false;
  if (plan.evidence === 'screen' && showsOverlay(now) && !showsOverlay(before)) return true;
  if (!now.reading?.composer?.empty || now.reading.dialog) return false;
  if (plan.evidence === 'screen') return changedAbove(before, now);
  const startedTurn = !isAtTurn(before) && isAtTurn(now);
  return !tellsByHooks(now) && startedTurn;
}

function isAtTurn({ reading }: Observation): boolean {
  return reading !== undefined && runsTurn(reading);
}

/** Hooks are in force in this launch: the absence of one means something. */
export function tellsByHooks({ events }: Observation): boolean {
  return events.some(({ fact }) => START_FACTS.has(fact.kind));
}

/** One of them comes with the first word of an agent that has hooks. */
const START_FACTS: ReadonlySet<HookFact['kind']> = new Set([
  'conversation-started',
  'turn-started',
]);

/**
 * Whether the rows above the composer are others. When the composer shrinks, rows that it had pushed out
 * come back at the top: then the shorter picture is the end of the longer one.
 */
function changedAbove(before: Observation, now: Observation): boolean {
  const [a, b] = [rowsAbove(before), rowsAbove(now)];
  if (!a || !b) return false;
  const length = Math.min(a.length, b.length);
  return a.slice(a.length - length).join('\n') !== b.slice(b.length - length).join('\n');
}

function rowsAbove({ screen, reading }: Observation): readonly string[] | undefined {
  const row = reading?.composer?.row;
  return row === undefined
    ? undefined
    : screen?.rows.slice(0, row).map(({ text }) => text.trimEnd());
}
