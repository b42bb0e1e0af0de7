import { type AgyVersion, agyVersion } from './version.ts';

/** What a test may set of the program, by `STUB_AGY_*` variables. Times are milliseconds. */
export interface Knobs {
  readonly version: AgyVersion;
  readonly signedOut: boolean;
  /** From the start, or the trust question, to the box. Keys before are lost. */
  readonly readyMs: number;
  /** An Enter so soon after a paste is a line break. */
  readonly pasteSettleMs: number;
  /** How long the model takes before it does anything. */
  readonly thinkMs: number;
  /** A conversation that is not there is begun under the id that was asked for. */
  readonly takesAnyId: boolean;
  /** After which turns the survey comes: every third, or each; `instead`: in the box's place. */
  readonly survey: 'third' | 'each' | 'instead';
  /** A reply that was under way wins against Esc. */
  readonly race: boolean;
  /** How `-p` ends when a tool needed permission. */
  readonly headlessDeny: 'error' | 'canceled' | 'success';
  /** What a PreToolUse hook that takes too long means. */
  readonly hookTimeout: 'open' | 'error';
  /** Transcripts stay at 0 bytes. */
  readonly emptyTranscript: boolean;
  /** A JSON file: an array with the steps of each turn. */
  readonly scriptFile: string | undefined;
}

export function readKnobs(env: NodeJS.ProcessEnv, versionFlag?: string): Knobs {
  const is = (name: string) => env[`STUB_AGY_${name}`] === '1';
  const ms = (name: string, otherwise: number) => Number(env[`STUB_AGY_${name}`] ?? otherwise);
  return {
    version: agyVersion(versionFlag ?? env.STUB_AGY_VERSION),
    signedOut: is('SIGNED_OUT'),
    readyMs: ms('READY_MS', 300),
    pasteSettleMs: ms('PASTE_SETTLE_MS', 700),
    thinkMs: ms('THINK_MS', 150),
    takesAnyId: is('OLD'),
    survey: is('SURVEY') ? 'each' : env.STUB_AGY_SURVEY === 'instead' ? 'instead' : 'third',
    race: is('RACE'),
    headlessDeny: oneOf(env.STUB_AGY_HEADLESS_DENY, ['error', 'canceled', 'success']),
    hookTimeout: oneOf(env.STUB_AGY_HOOK_TIMEOUT, ['open', 'error']),
    emptyTranscript: is('EMPTY_TRANSCRIPT'),
    scriptFile: env.STUB_AGY_SCRIPT,
  };
}

/** The first of them unless another was given. */
function oneOf<T extends string>(value: string | undefined, allowed: readonly [T, ...T[]]): T {
  return allowed.find((each) => each === value) ?? allowed[0];
}
