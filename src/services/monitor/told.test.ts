import { describe, expect, it } from 'vitest';
import type { Finding } from '../../ports/fleet-care.ts';
import { Told } from './told.ts';

const finding = (drift: Finding['drift'], action: Finding['action'] = 'none'): Finding => ({
  ...{ drift, action, session: 'a', reason: 'why', evidence: [] },
  target: { kind: 'server' },
});

function telling() {
  const told = new Told();
  return (findings: readonly Finding[], isThorough = false) =>
    told.news(findings, isThorough).map(({ finding: { drift }, isNew }) => [drift, isNew]);
}

describe('what is told of findings', () => {
  it('is each once, as long as it stays', () => {
    const tell = telling();
    expect(tell([finding('server-gone')])).toEqual([['server-gone', true]]);
    expect(tell([finding('server-gone')])).toEqual([]);
    expect(tell([])).toEqual([]);
    expect(tell([finding('server-gone')])).toEqual([['server-gone', true]]);
  });

  it('is told again, as known, when something is done about it', () => {
    const tell = telling();
    tell([finding('A')]);
    expect(tell([finding('A', 'mark-terminated')])).toEqual([['A', false]]);
    expect(tell([finding('A', 'mark-terminated')])).toEqual([]);
  });

  it('keeps what only a thorough look can see, until one does not see it', () => {
    const tell = telling();
    expect(tell([finding('D')], true)).toEqual([['D', true]]);
    expect(tell([])).toEqual([]);
    expect(tell([finding('D')], true)).toEqual([]);
    expect(tell([], true)).toEqual([]);
    expect(tell([finding('D')], true)).toEqual([['D', true]]);
  });
});
