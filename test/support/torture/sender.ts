import { type CliResult, finished, type TestBed } from '../test-bed.ts';
import { until } from '../until.ts';
import type { Random } from './random.ts';

/** One delivery as its sender knows it. */
export interface Sent {
  readonly id: string;
  readonly session: string;
  readonly sender: string;
  readonly index: number;
  readonly text: string;
  /** The delivery of the last verdict: what a repeat names. Undefined while none was stored. */
  stored: string | undefined;
  /** The last state that a command of ours told; `open` while it is not settled. */
  verdict: string;
  reason: string;
  evidence: string;
  /** How often its sender was killed, and how often it was sent again. */
  kills: number;
  repeats: number;
}

const POINTS = ['1', '3', '4', '5', '6', '7', '8', '9', '10'].map((step) => `delivery.${step}`);
const PROVEN = ['submitted', 'started', 'answered'];
const SETTLED = [...PROVEN, 'refused', 'not-submitted', 'unknown'];
/** Errors after which nothing was stored, so nothing can have been typed. */
const NOTHING_STORED = ['session.wrong-state'];
const MAX_TRIES = 6;
const TIMEOUT_S = 30;
const FREE_MS = 60_000;

export const isProven = ({ verdict }: Sent) => PROVEN.includes(verdict);
export const isSettled = ({ verdict }: Sent) => SETTLED.includes(verdict);

export interface SendOptions {
  /** How often a send is killed. */
  readonly killChance: number;
  /** How often a text that was certainly not taken is sent again. */
  readonly againChance: number;
}

/**
 * Sends until there is a verdict, and is killed now and then on the way. What was certainly not taken is
 * sent again now and then: the verdict is that of the last repeat.
 */
export async function sendUntilSettled(
  bed: TestBed,
  sent: Sent,
  random: Random,
  options: SendOptions,
): Promise<void> {
  await tryToSettle(bed, sent, random, options, ['--id', sent.id]);
  while (['refused', 'not-submitted'].includes(sent.verdict)) {
    await untilFree(bed, sent.session);
    if (!random.chance(options.againChance)) return;
    sent.verdict = 'open';
    sent.repeats++;
    const repeat = sent.stored === undefined ? ['--id', sent.id] : ['--id', sent.stored, '--again'];
    await tryToSettle(bed, sent, random, options, repeat);
  }
}

async function tryToSettle(
  bed: TestBed,
  sent: Sent,
  random: Random,
  { killChance }: SendOptions,
  which: readonly string[],
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES && !isSettled(sent); tries++) {
    const result = await sendOnce(bed, sent, random, killChance, which);
    if (result.signal !== null) sent.kills++;
    else takeVerdict(sent, result);
  }
}

/** No tmux mode, no question: who sees one in the way, waits before the next try. */
async function untilFree(bed: TestBed, session: string): Promise<void> {
  const pane = ['-t', `=demo-creator-${session}:`] as const;
  let last = '';
  const isFree = () => {
    const { code, stdout } = bed.tmux('display-message', '-p', ...pane, '#{pane_in_mode}');
    last = bed.tmux('capture-pane', '-p', ...pane).stdout;
    return code !== 0 || (stdout.trim() === '0' && !isQuestion(last));
  };
  await until(`${session} is free`, isFree, FREE_MS).catch((error: Error) => {
    throw new Error(`${error.message}\n${last}`);
  });
}

/** The demo agent's permission question stands at the bottom of the screen. */
export function isQuestion(screen: string): boolean {
  const rows = screen.split('\n').filter((row) => row.trim() !== '');
  return rows.at(-1)?.startsWith(' Esc to cancel') ?? false;
}

function sendOnce(
  bed: TestBed,
  { session, text }: Sent,
  random: Random,
  killChance: number,
  which: readonly string[],
): Promise<CliResult> {
  const options = [...which, '--timeout', String(TIMEOUT_S), '--json'];
  const args = ['send', session, ...options, '--', text];
  if (!random.chance(killChance)) return bed.mam(args);
  if (random.chance(0.6)) return bed.mam(args, { crashAt: random.pick(['', ...POINTS]) || 'none' });
  const child = bed.start(args);
  const timer = setTimeout(() => child.kill('SIGKILL'), random.int(100, 1_500));
  return finished(child).finally(() => clearTimeout(timer));
}

function takeVerdict(sent: Sent, { code, json, stdout, stderr }: CliResult): void {
  const { delivery, error } = json ?? {};
  if (code === 1 || code === null || (!delivery && !error)) {
    throw new Error(`${sent.id} ${sent.text.slice(0, 60)} → ${code}\n${stdout}${stderr}`);
  }
  if (NOTHING_STORED.includes(error?.code)) sent.verdict = 'refused';
  else if (SETTLED.includes(delivery?.state)) sent.verdict = delivery.state;
  sent.stored = delivery?.id ?? sent.stored;
  sent.reason = delivery?.reason ?? error?.code ?? '';
  sent.evidence = delivery?.evidence?.source ?? '';
}
