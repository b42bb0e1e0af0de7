/** What an agent is doing, as far as it can be known. `unknown` is a legal answer. */
export type ActivityState =
  | 'starting'
  | 'idle'
  | 'working'
  | 'awaiting-approval'
  | 'awaiting-answer'
  | 'limited'
  | 'exited'
  | 'lost'
  | 'unknown';

export const activityStates: readonly ActivityState[] = [
  'starting',
  'idle',
  'working',
  'awaiting-approval',
  'awaiting-answer',
  'limited',
  'exited',
  'lost',
  'unknown',
];

/** Where the evidence came from, most trusted first. */
export type ActivitySource = 'hook' | 'state-file' | 'transcript' | 'screen' | 'process';

/** An observation, never stored as truth. Times are milliseconds since 1970. */
export interface Activity {
  readonly state: ActivityState;
  readonly source: ActivitySource;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly sinceMs?: number;
  /** For example `trust`, `permission`, `question`, `limit`, `socket-missing`, `stopped`, `stale`. */
  readonly detail?: string;
  /** When a usage limit lifts, if the agent said so. */
  readonly untilMs?: number;
}
