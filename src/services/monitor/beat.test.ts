import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Beat } from './beat.ts';

const options = { periodMs: 1_000, gapMs: 50 };

function start(work: () => Promise<void> = () => Promise.resolve()) {
  const clock = new ManualClock();
  const turns: { readonly atMs: number; readonly isFirst: boolean }[] = [];
  const beat = new Beat(clock, options, (isFirst) => {
    turns.push({ atMs: clock.monotonicMs(), isFirst });
    return work();
  });
  const end = new AbortController();
  const running = beat.run(end.signal);
  const stop = async () => {
    end.abort();
    await clock.advance(0);
    await running;
  };
  return { clock, beat, turns, stop, times: () => turns.map(({ atMs }) => atMs) };
}

describe('Beat', () => {
  it('takes a turn at once, then one each period', async () => {
    const { clock, times, stop } = start();
    await clock.advance(3_000);
    expect(times()).toEqual([0, 1_000, 2_000, 3_000]);
    await stop();
  });

  it('takes one soon after it is woken, however often', async () => {
    const { clock, beat, times, stop } = start();
    await clock.advance(400);
    for (let i = 0; i < 100; i++) beat.wake();
    await clock.advance(10);
    expect(times()).toEqual([0, 400]);
    await clock.advance(1_000);
    expect(times()).toEqual([0, 400, 1_400]);
    await stop();
  });

  it('answers a storm by one turn each gap', async () => {
    const { clock, beat, times, stop } = start();
    for (let i = 0; i < 100; i++) {
      beat.wake();
      await clock.advance(10);
    }
    expect(times().length).toBe(21);
    await stop();
  });

  it('never overlaps, and takes one more when it was woken meanwhile', async () => {
    let finish = (): void => undefined;
    let running = 0;
    let most = 0;
    const work = async () => {
      running++;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      running--;
    };
    const { clock, beat, times, stop } = start(work);
    beat.wake();
    await clock.advance(10_000);
    beat.wake();
    expect(times()).toEqual([0]);
    finish();
    await clock.advance(50);
    expect(times()).toEqual([0, 10_050]);
    finish();
    await clock.advance(999);
    expect(times()).toHaveLength(2);
    expect(most).toBe(1);
    finish();
    await stop();
  });

  it('drops what was due while it was stopped, and says that the next look is a first one', async () => {
    const { clock, turns, stop } = start();
    await clock.advance(1_000);
    await clock.freeze(120_000);
    expect(turns).toEqual([
      { atMs: 0, isFirst: true },
      { atMs: 1_000, isFirst: false },
      { atMs: 121_000, isFirst: true },
    ]);
    await clock.advance(1_000);
    expect(turns.at(-1)).toEqual({ atMs: 122_000, isFirst: false });
    await stop();
  });

  it('knows a pause in the middle of a turn as well', async () => {
    let finish = (): void => undefined;
    const work = () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      });
    const { clock, turns, stop } = start(work);
    await clock.freeze(120_000);
    finish();
    await clock.advance(1_000);
    expect(turns.map(({ isFirst }) => isFirst)).toEqual([true, true]);
    finish();
    await clock.advance(1_000);
    expect(turns.at(-1)?.isFirst).toBe(false);
    finish();
    await stop();
  });

  it.each([3_600_000, -3_600_000])('takes a clock that jumps by %i ms for a pause', async (by) => {
    const { clock, turns, stop } = start();
    await clock.advance(500);
    clock.setWall(by);
    await clock.advance(500);
    expect(turns.at(-1)).toEqual({ atMs: 1_000, isFirst: true });
    await stop();
  });

  it('ends in the middle of a rest', async () => {
    const { clock, times, stop } = start();
    await clock.advance(300);
    await stop();
    await clock.advance(5_000);
    expect(times()).toEqual([0]);
  });
});
