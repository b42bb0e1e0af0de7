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

/**
 * Detail of `working`: the turn is over and its composer takes the next prompt, but something that a turn
 * started runs on and may begin another by itself.
 */
export const BACKGROUND = 'background';

interface Doing {
  readonly state: ActivityState;
  readonly detail?: string | undefined;
}

/** Whether the model is at a prompt right now. */
export function runsTurn({ state, detail }: Doing): boolean {
  return state === 'working' && detail !== BACKGROUND;
}

/** Whether its last turn is over. */
export function isBetweenTurns({ state, detail }: Doing): boolean {
  return state === 'idle' || (state === 'working' && detail === BACKGROUND);
}

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

/**
 * Whether the hooks of this launch are in force. `heard`: one of them has told something. `silent`: there
 * should be some, and none has been heard: what is said of it comes from elsewhere. `none`: none is brought
 * along, and none was installed.
 */
export type HookProof = 'heard' | 'silent' | 'none';

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
