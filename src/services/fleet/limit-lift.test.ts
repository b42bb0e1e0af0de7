import { describe, expect, it } from 'vitest';
import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';
import { judgeLimit } from './limit-lift.ts';

const UNTIL = 1_000_000;
const GRACE = 180_000;
const limited: HookFact = { kind: 'turn-failed', error: 'rate_limit', limited: true };
const events = (...facts: readonly HookFact[]): readonly HookEvent[] =>
  facts.map((fact, at) => ({ name: `${at}.1.e`, atMs: at, fact }));

const judge = (nowMs: number, ...facts: readonly HookFact[]) =>
  judgeLimit({ agentAlive: true, events: events(...facts) }, GRACE, nowMs);

describe('a usage limit', () => {
  it('is waited for until it has lifted and the agent has had its time to go on by itself', () => {
    const until = { ...limited, untilMs: UNTIL };
    expect(judge(UNTIL - 1, until)).toEqual({ kind: 'wait', untilMs: UNTIL });
    expect(judge(UNTIL + GRACE - 1, until)).toEqual({ kind: 'wait', untilMs: UNTIL });
    expect(judge(UNTIL + GRACE, until)).toEqual({ kind: 'tell', untilMs: UNTIL });
  });

  it('is over once the agent goes on, whoever made it: nobody tells it a second time', () => {
    const goesOn = { kind: 'prompt-submitted', promptHash: 'h' } as const;
    const until = { ...limited, untilMs: UNTIL };
    expect(judge(UNTIL + GRACE, until, goesOn)).toEqual({ kind: 'none' });
    expect(judge(UNTIL + GRACE, until, goesOn, { kind: 'turn-ended' })).toEqual({ kind: 'none' });
  });

  it('has no end where none is told, and is none of a dead agent', () => {
    expect(judge(UNTIL, limited)).toEqual({ kind: 'unknown-end' });
    const dead = { agentAlive: false, events: events({ ...limited, untilMs: UNTIL }) };
    expect(judgeLimit(dead, GRACE, UNTIL)).toEqual({ kind: 'none' });
  });
});
