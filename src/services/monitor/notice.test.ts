import { describe, expect, it } from 'vitest';
import { exampleSession } from '../../../test/support/example-session.ts';
import type { Activity } from '../../domain/activity.ts';
import { Attention, noticeOf } from './notice.ts';

const NOW = 1_800_000_000_000;
const session = exampleSession('api');

function attention() {
  const attending = new Attention();
  return (state: Activity['state'], more: Partial<Activity> = {}) =>
    attending
      .noticesOf(
        [{ session, activity: { state, source: 'hook', confidence: 'high', ...more } }],
        NOW,
      )
      .map(({ kind, message }) => [kind, message]);
}

describe('Attention', () => {
  it('tells of one at work that gives no sign, once, and of nobody else at work', () => {
    const see = attention();
    expect(see('working')).toEqual([]);
    const stale = { detail: 'stale', sinceMs: NOW } as const;
    expect(see('working', stale)).toEqual([
      ['stale', 'api is at work, and has given no sign since 2027-01-15T08:00:00.000Z.'],
    ]);
    expect(see('working', stale)).toEqual([]);
    expect(see('working')).toEqual([]);
    expect(see('working', stale)).toHaveLength(1);
  });

  it('tells of what waits for a person, each state once', () => {
    const see = attention();
    expect(see('awaiting-approval', { detail: 'permission' })).toEqual([
      ['awaiting-approval', 'api waits for an approval (permission).'],
    ]);
    expect(see('awaiting-approval')).toEqual([]);
    expect(see('awaiting-answer')).toEqual([['awaiting-answer', 'api waits for an answer.']]);
    expect(see('working')).toEqual([]);
    expect(see('awaiting-answer')).toHaveLength(1);
    expect(see('limited', { untilMs: NOW })).toEqual([
      ['limited', 'api is at its usage limit, until 2027-01-15T08:00:00.000Z.'],
    ]);
  });

  it('does not tell again after a moment in which nothing could be known', () => {
    const see = attention();
    expect(see('limited')).toHaveLength(1);
    expect(see('unknown')).toEqual([]);
    expect(see('limited')).toEqual([]);
  });

  it('forgets sessions that are no more', () => {
    const attending = new Attention();
    const activity = { state: 'limited', source: 'hook', confidence: 'high' } as const;
    const see = () => attending.noticesOf([{ session, activity }], NOW).length;
    expect([see(), see()]).toEqual([1, 0]);
    attending.keep(new Set());
    expect(see()).toBe(1);
  });
});

describe('a notice', () => {
  it('is one short line that obeys nobody, whatever a session is called', () => {
    const odd = `\u202e\x1b[31m${'x'.repeat(5_000)}\n@everyone`;
    const { message } = noticeOf('drift', undefined, odd, NOW);
    expect(message).toMatch(/^\\x1b\[31mx+…$/);
    expect(message.length).toBeLessThanOrEqual(301);
  });
});
