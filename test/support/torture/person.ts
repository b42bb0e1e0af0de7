import { setInterval } from 'node:timers/promises';
import type { TestBed } from '../test-bed.ts';
import { until } from '../until.ts';
import type { Random } from './random.ts';
import { isQuestion } from './sender.ts';

const LOOK_EVERY_MS = 120;

export interface Mischief {
  readonly dialogs: number;
  readonly modes: number;
  readonly kills: number;
}

/**
 * Somebody who sits at one session: answers its questions one way or the other, scrolls back for a
 * while, and now and then kills the agent and brings it back. Acts on what happens there, not by time.
 *
 * @param count - Submissions seen in this session so far.
 */
export async function sitAt(
  bed: TestBed,
  session: string,
  random: Random,
  count: () => number,
  signal: AbortSignal,
): Promise<Mischief> {
  const done = { dialogs: 0, modes: 0, kills: 0 };
  const pane = ['-t', `=demo-creator-${session}:`] as const;
  let nextMode = random.int(3, 10);
  let nextKill = random.int(5, 15);
  let modeTicks = 0;
  for await (const _ of setInterval(LOOK_EVERY_MS)) {
    if (modeTicks > 0 && --modeTicks === 0) bed.tmux('copy-mode', '-q', ...pane);
    if (signal.aborted) break;
    const screen = bed.tmux('capture-pane', '-p', ...pane).stdout;
    if (isQuestion(screen)) {
      done.dialogs++;
      await answer(bed, session, pane, random);
    } else if (count() >= nextKill) {
      done.kills++;
      nextKill = count() + random.int(8, 20);
      await killAndResume(bed, session);
    } else if (count() >= nextMode && modeTicks === 0) {
      done.modes++;
      nextMode = count() + random.int(4, 12);
      modeTicks = random.int(2, 12);
      bed.tmux('copy-mode', ...pane);
    }
  }
  if (modeTicks > 0) bed.tmux('copy-mode', '-q', ...pane);
  return done;
}

async function answer(
  bed: TestBed,
  session: string,
  pane: readonly string[],
  random: Random,
): Promise<void> {
  const how = random.pick(['yes', 'no', 'Escape']);
  if (how === 'Escape') bed.tmux('send-keys', ...pane, 'Escape');
  else await bed.mam(['answer', session, how]);
}

async function killAndResume(bed: TestBed, session: string): Promise<void> {
  const { agent_pid: agent } = await bed.session(session);
  if (typeof agent === 'number') {
    try {
      process.kill(agent, 'SIGKILL');
    } catch {
      // It had ended by itself.
    }
  }
  // A send that is still at it goes first.
  await until(`${session} is back`, async () => {
    const { code } = await bed.mam(['resume', session]);
    return code === 0;
  });
}
