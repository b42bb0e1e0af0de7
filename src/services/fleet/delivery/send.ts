import { crashPoint } from '../../../base/crash-point.ts';
import { type Delivery, isProven, isSettled } from '../../../domain/delivery.ts';
import { MamError } from '../../../domain/errors.ts';
import type { Session } from '../../../domain/session.ts';
import type { AgentAdapter } from '../../../ports/agent-adapter.ts';
import type { FleetContext } from '../context.ts';
import { awaitAnswer } from './await-answer.ts';
import { type EnqueueRequest, enqueue } from './enqueue.ts';
import { getDelivery } from './line.ts';
import { patiently } from './patience.ts';
import { settleUpTo } from './settle.ts';

export interface SendRequest extends EnqueueRequest {
  readonly until: 'submitted' | 'answered';
  readonly timeoutMs: number;
}

export interface SentDelivery extends Delivery {
  /** It was settled before this call, which typed nothing. */
  readonly madeBefore: boolean;
}

/** Nothing in it would be seen, or reach a model. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]*$/u;

/** Why a prompt was not even queued: the caller must change it. @throws {MamError} `usage` codes. */
export function assertPrompt(text: string, adapter: AgentAdapter): void {
  if (BLANK.test(text)) {
    throw new MamError('prompt.blank', 'The prompt is blank: there is nothing to send.');
  }
  const size = Buffer.byteLength(text);
  const limit = adapter.card.inlineLimitBytes;
  if (size > limit) {
    throw new MamError(
      'prompt.too-long',
      `The prompt has ${size} bytes; ${adapter.kind} takes at most ${limit}.`,
      { size_bytes: size, limit_bytes: limit },
      { hint: 'Put the text into a file the agent can read, and send its path.' },
    );
  }
}

/**
 * Delivers a text with proof, at most once per id (docs/delivery.md says how long ids are remembered). Unfinished deliveries of the session come first.
 *
 * @returns The delivery as it stands at the end: the caller maps its state to an exit code.
 * @throws {MamError} `name.invalid` for the caller's id, `delivery.conflict`, `prompt.*`,
 *   `session.wrong-state`, `interrupted`: then it stays queued, and the next command on the session takes it up.
 */
export async function send(
  context: FleetContext,
  session: Session,
  request: SendRequest,
): Promise<SentDelivery> {
  const adapter = context.adapters.named(session.agent);
  assertPrompt(request.text, adapter);
  const plan = adapter.planTyping(request.text);
  const deadlineMs = context.clock.monotonicMs() + request.timeoutMs;
  const delivery = await patiently(context, () => enqueue(context, session, plan, request));
  const madeBefore = isSettled(delivery);
  crashPoint('delivery.1');
  const settled = await settleUpTo(context, session, delivery.id, deadlineMs).catch((error) => {
    throw whatWaits(context, session, delivery.id) ?? error;
  });
  const wantsAnswer = request.until === 'answered' && settled.state !== 'answered';
  if (!wantsAnswer || !isProven(settled)) return { ...settled, madeBefore };
  return { ...(await awaitAnswer(context, session, settled, deadlineMs)), madeBefore };
}

/** Interrupted before it was typed: it stays, and whoever interrupted it must know. */
function whatWaits(context: FleetContext, { name }: Session, id: string): MamError | undefined {
  if (!context.signal.aborted) return undefined;
  const { state } = getDelivery(context, id);
  if (state !== 'queued') return undefined;
  return new MamError(
    'interrupted',
    `Interrupted; delivery ${id} waits: the next command on "${name}" delivers it.`,
    { session: name, delivery: id },
    { hint: `mam stop ${name} refuses what waits` },
  );
}
