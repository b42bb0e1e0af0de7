import type { Delivery } from '../../domain/delivery.ts';
import type { Session } from '../../domain/session.ts';
import type { StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { send } from './delivery/send.ts';
import { drainSpool } from './drain.ts';
import { keepConversation } from './keep-conversation.ts';
import { recordUp } from './launching.ts';
import type { HeldOperation } from './operations.ts';

/** How a start ended that did not fail. */
export type Up = Extract<StartOutcome, { kind: 'ready' | 'waiting' }>;

export interface StartReport {
  readonly session: Session;
  /** Set when it waits for a person: `trust`, `login`, … */
  readonly waitingFor: string | null;
  readonly delivery: Delivery | null;
  readonly warnings: readonly string[];
}

interface FirstWords {
  readonly prompt?: string;
  readonly timeoutMs: number;
}

/** The agent is up: that is written down, its session is free again, and it gets its first prompt. */
export async function speakFirst(
  context: FleetContext,
  operation: HeldOperation,
  started: Session,
  outcome: Up,
  { prompt, timeoutMs }: FirstWords,
): Promise<Omit<StartReport, 'warnings'>> {
  const up = recordUp(context, operation, started, outcome.pane);
  drainSpool(context, up, up.launch);
  await keepConversation(context, up);
  operation.end();
  const waitingFor = outcome.kind === 'waiting' ? outcome.detail : null;
  const delivery =
    prompt === undefined
      ? null
      : await send(context, up, { text: prompt, until: 'submitted', timeoutMs });
  const now = context.registry.read((reader) => reader.findSessionById(up.id)) ?? up;
  return { session: now, waitingFor, delivery };
}
