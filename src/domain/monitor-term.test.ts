import { describe, expect, it } from 'vitest';
import { isTermElsewhere, type MonitorTerm } from './monitor-term.ts';
import type { Owner } from './owner.ts';

const self: Owner = { host: 'h', boot: 'b', pidNamespace: 'n', pid: 7, startTicks: '70' };
const view = { self, isAlive: () => true };
const NOW = 1_000;

const term = (owner: Partial<Owner>, deadlineMs = NOW + 1): MonitorTerm => ({
  owner: { ...self, pid: 8, ...owner },
  hostName: 'there',
  deadlineMs,
});

describe('isTermElsewhere', () => {
  it.each([
    ['another host, before its deadline', term({ host: 'o' }), true],
    ['another host, at its deadline', term({ host: 'o' }, NOW), false],
    ['another container of this host', term({ pidNamespace: 'm' }), true],
    ['an earlier boot of this host', term({ boot: 'a' }), false],
    ['this host: the lock has decided', term({}), false],
    ['nobody', undefined, false],
  ])('%s', (_, present, expected) => {
    expect(isTermElsewhere(present, view, NOW)).toBe(expected);
  });
});
