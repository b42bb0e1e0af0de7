import type { Owner } from './owner.ts';

/** docs/delivery.md tells the steps. The last three are ends. */
export type DeliveryState =
  | 'queued'
  | 'typing'
  | 'typed'
  | 'entered'
  | 'submitted'
  | 'started'
  | 'answered'
  | 'refused'
  | 'not-submitted'
  | 'unknown';

/** One text on its way to one agent. Typed at most once per id. */
export interface Delivery {
  readonly id: string;
  readonly sessionId: string;
  readonly launch: string;
  /** A `command` is a slash command of the agent's own. */
  readonly kind: 'prompt' | 'command';
  /** Number within the launch; 0 until it is typed. */
  readonly number: number;
  /** SHA-256 of the text in the agent's normal form. */
  readonly hash: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  /** What proved it: a hook event's name, a transcript, the screen. */
  readonly evidence: DeliveryEvidence | null;
  /** Number of Enter keys pressed so far. */
  readonly enters: number;
  readonly cursor: { readonly x: number; readonly y: number } | null;
  readonly owner: Owner | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When the text was typed, milliseconds since 1970: evidence must be younger. */
  readonly typedAtMs: number | null;
  /** The delivery this one repeats, after `--again`. */
  readonly againOf: string | null;
  readonly answer: string | null;
}

export interface DeliveryEvidence {
  readonly source: 'hook' | 'transcript' | 'screen';
  /** Spool file of the hook event, which no other delivery may use. */
  readonly event: string | null;
  readonly at: string;
}

const ENDS: readonly DeliveryState[] = ['answered', 'refused', 'not-submitted', 'unknown'];
const PROVEN: readonly DeliveryState[] = ['submitted', 'started', 'answered'];

/** Nothing more will be typed or pressed for it. */
export function isSettled(delivery: Delivery): boolean {
  return ENDS.includes(delivery.state) || PROVEN.includes(delivery.state);
}

export function isProven(delivery: Delivery): boolean {
  return PROVEN.includes(delivery.state);
}

/** Its text may be in the agent's composer. */
export function mayBeTyped(delivery: Delivery): boolean {
  return ['typing', 'typed', 'entered'].includes(delivery.state);
}
