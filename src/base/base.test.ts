import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { camelKeys, snakeKeys } from './case-keys.ts';
import { nearestOf } from './nearest.ts';
import { ulid } from './ulid.ts';

describe('ulid', () => {
  it('has 26 characters of Crockford’s alphabet and sorts by time', () => {
    const ids = [1, 2, 1_796_067_114_000, 1_796_067_114_001].map(ulid);
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect([...ids].sort()).toEqual(ids);
  });

  it('does not repeat within a millisecond', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => ulid(5))).size).toBe(1_000);
  });
});

describe('snakeKeys and camelKeys', () => {
  it('rename keys at any depth and leave values alone', () => {
    const camel = { agentPid: 1, pane: { cmdFull: 'aB_c', children: [{ startedAt: 'x' }] } };
    const snake = { agent_pid: 1, pane: { cmd_full: 'aB_c', children: [{ started_at: 'x' }] } };
    expect(snakeKeys(camel)).toEqual(snake);
    expect(camelKeys(snake)).toEqual(camel);
  });

  it('undo each other for names of ours', () => {
    const name = fc.stringMatching(/^[a-z]{1,6}(?:[A-Z][a-z]{1,5}){0,3}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.integer(), { noNullPrototype: true }), (record) => {
        expect(camelKeys(snakeKeys(record))).toEqual(record);
      }),
    );
  });
});

describe('nearestOf', () => {
  it.each([
    ['craete', 'create'],
    ['sned', 'send'],
    ['statsu', 'status'],
    ['xyzzy', undefined],
  ])('takes %s for %s', (word, wanted) => {
    expect(nearestOf(word, ['create', 'send', 'status', 'stop'])).toBe(wanted);
  });
});
