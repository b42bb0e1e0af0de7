import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  draft,
  emptyComposer,
  eventsOf,
  exampleObservation,
  NOW_MS,
  started,
} from '../../../../test/support/example-observation.ts';
import { demo } from '../../../agents/demo/index.ts';
import type { Delivery, DeliveryEvidence } from '../../../domain/delivery.ts';
import type { HookEvent, HookFact } from '../../../domain/hook-fact.ts';
import { plainScreen } from '../../../domain/screen.ts';
import type { ScreenReading } from '../../../ports/agent-adapter.ts';
import { findTurnEnd } from './await-answer.ts';
import { claimByTurn, provenOnScreen, type Trace, unclaimed } from './evidence.ts';

function delivery(id: string, hash: string, evidence: DeliveryEvidence | null = null): Delivery {
  return {
    ...{ id, hash, evidence, sessionId: 's', launch: 'l', kind: 'prompt', number: 1, reason: null },
    ...{ state: evidence ? 'submitted' : 'entered', enters: 1, cursor: null, owner: null },
    ...{ createdAt: '', updatedAt: '', typedAtMs: 0, againOf: null, answer: null },
  };
}

const trace = (atMs: number): Trace => ({ name: `t${atMs}`, atMs });
const proof = (source: 'hook' | 'transcript', event: string, atMs: number) => ({
  ...{ source, event, at: new Date(atMs).toISOString() },
});

describe('unclaimed', () => {
  it('leaves what no other delivery stands for', () => {
    const others = [delivery('d1', 'h', proof('hook', 't10', 10))];
    expect(unclaimed([trace(10), trace(20)], { hash: 'h' }, others)).toEqual([trace(20)]);
    expect(unclaimed([trace(10)], { hash: 'h' }, others)).toEqual([]);
    expect(unclaimed([trace(10)], { hash: 'h' }, [])).toEqual([trace(10)]);
  });

  it('counts a delivery of the same text that another kind of trace proved', () => {
    const others = [delivery('d1', 'h', proof('transcript', 'transcript.h.11', 11))];
    expect(unclaimed([trace(10), trace(500)], { hash: 'h' }, others)).toEqual([trace(500)]);
    expect(unclaimed([trace(10), trace(500)], { hash: 'x' }, others)).toHaveLength(2);
  });

  it('does not count deliveries that are not proven', () => {
    const others = [delivery('d1', 'h'), delivery('d2', 'h')];
    expect(unclaimed([trace(10)], { hash: 'h' }, others)).toEqual([trace(10)]);
  });

  it('never lets more deliveries of a text be proven than there are submissions', () => {
    const submissions = fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 6 });
    const sources = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(submissions, sources, (times, byHook) => {
        const proven: Delivery[] = [];
        for (const [i, isHook] of byHook.entries()) {
          const name = (atMs: number) => (isHook ? `hook.${atMs}` : `transcript.h.${atMs}`);
          const traces = times.map((atMs) => ({ name: name(atMs), atMs }));
          const [first] = unclaimed(traces, { hash: 'h' }, proven);
          if (!first) continue;
          const source = isHook ? 'hook' : 'transcript';
          proven.push(delivery(`d${i}`, 'h', proof(source, first.name, first.atMs)));
        }
        expect(proven).toHaveLength(Math.min(times.length, byHook.length));
        const claimed = proven.map(({ evidence }) => evidence?.at);
        expect(new Set(claimed).size).toBe(claimed.length);
      }),
    );
  });
});

describe('provenOnScreen', () => {
  const command = demo.planTyping('/model small');
  const prompt = demo.planTyping('hello');
  const look = (rows: string[], reading: ScreenReading, events: readonly HookEvent[] = []) =>
    exampleObservation({
      screen: plainScreen(rows.join('\n')),
      reading: {
        ...reading,
        ...(reading.composer ? { composer: at(rows, reading.composer) } : {}),
      },
      events,
    });
  const at = (rows: string[], composer: typeof emptyComposer) => ({
    ...composer,
    row: rows.length,
  });
  const typed = look(['head', 'rule'], { state: 'idle', composer: draft('/model small') });

  it('takes an empty composer and another conversation above it for a command', () => {
    const now = look(['head', 'Set model', 'rule'], { state: 'idle', composer: emptyComposer });
    expect(provenOnScreen(command, typed, now)).toBe(true);
  });

  it('does not take the emptied composer alone', () => {
    const now = look(['head', 'rule'], { state: 'idle', composer: emptyComposer });
    expect(provenOnScreen(command, typed, now)).toBe(false);
  });

  it('does not take rows that came back when the composer shrank', () => {
    const now = look(['gone', 'head', 'rule'], { state: 'idle', composer: emptyComposer });
    expect(provenOnScreen(command, typed, now)).toBe(false);
  });

  it('does not take a draft, a dialog, or an unknown past', () => {
    const still = look(['other'], { state: 'idle', composer: draft('/model small') });
    expect(provenOnScreen(command, typed, still)).toBe(false);
    const now = look(['other'], { state: 'idle', composer: emptyComposer });
    expect(provenOnScreen(command, undefined, now)).toBe(false);
    expect(provenOnScreen(command, typed, { ...now, reading: { state: 'unknown' } })).toBe(false);
  });

  it('takes an overlay that a command opened, by the word of the agent', () => {
    const file = { pid: 11, conversationId: 'c', state: 'unknown', updatedAtMs: 0 } as const;
    const stateFile = { ...file, detail: 'overlay' };
    const over = { ...look(['head', 'rule'], { state: 'unknown' }), stateFile };
    expect(provenOnScreen(command, typed, over)).toBe(true);
    expect(provenOnScreen(command, over, over)).toBe(false);
    expect(provenOnScreen(prompt, typed, over)).toBe(false);
    expect(provenOnScreen(command, typed, { ...over, stateFile: undefined })).toBe(false);
  });

  it('takes a started turn for a prompt, but only where no hook would have come', () => {
    const working = { state: 'working', composer: emptyComposer } as const;
    expect(provenOnScreen(prompt, typed, look(['head', 'rule'], working))).toBe(true);
    const told = look(['head', 'rule'], working, eventsOf(started));
    expect(provenOnScreen(prompt, typed, told)).toBe(false);
    const idle = look(['other', 'rule'], { state: 'idle', composer: emptyComposer });
    expect(provenOnScreen(prompt, typed, idle)).toBe(false);
    const background = { ...working, detail: 'background' };
    expect(provenOnScreen(prompt, typed, look(['head', 'rule'], background))).toBe(false);
    const ranOn = look(['head', 'rule'], { ...background, composer: draft('hello') });
    expect(provenOnScreen(prompt, ranOn, look(['head', 'rule'], working))).toBe(true);
    const busyBefore = look(['head', 'rule'], { state: 'working', composer: draft('hello') });
    expect(provenOnScreen(prompt, busyBefore, look(['head', 'rule'], working))).toBe(false);
  });
});

describe('claimByTurn', () => {
  const turn = { kind: 'turn-started' } as const;
  const typed = { ...delivery('d1', 'h'), typedAtMs: NOW_MS - 15_000 };
  const gone = { state: 'working', composer: emptyComposer } as const;
  const claim = (mine: Delivery, reading: ScreenReading, others: readonly Delivery[] = []) => {
    const seen = exampleObservation({ events: eventsOf(turn), reading });
    return claimByTurn(mine, seen)({ deliveries: () => others });
  };

  it('takes a turn that began since the text was typed, once that has left the composer', () => {
    expect(claim(typed, gone)).toMatchObject({ source: 'hook', event: '0.1.Event' });
  });

  it('takes none that is older, none while the text is there, and none for a command', () => {
    expect(claim({ ...typed, typedAtMs: NOW_MS - 5_000 }, gone)).toBeUndefined();
    expect(claim({ ...typed, typedAtMs: null }, gone)).toBeUndefined();
    expect(claim(typed, { state: 'working', composer: draft('hello') })).toBeUndefined();
    expect(claim(typed, { state: 'unknown' })).toBeUndefined();
    expect(claim({ ...typed, kind: 'command' }, gone)).toBeUndefined();
  });

  it('takes one that another delivery stands for no second time, whatever its text', () => {
    const evidence = { source: 'hook', event: '0.1.Event', at: new Date(NOW_MS).toISOString() };
    const other = delivery('d2', 'another', evidence as DeliveryEvidence);
    expect(claim(typed, gone, [other])).toBeUndefined();
  });
});

describe('findTurnEnd', () => {
  const prompted = { kind: 'prompt-submitted', promptHash: 'h' } as const;
  const ended = (answer: string) => ({ kind: 'turn-ended', answer }) as const;

  it('takes the first end after the evidence', () => {
    const events = eventsOf(started, ended('old'), prompted, ended('new'), ended('later'));
    const evidence = proof('hook', events[2]?.name ?? '', events[2]?.atMs ?? 0);
    expect(findTurnEnd({ evidence }, events)).toEqual({ kind: 'answered', answer: 'new' });
    expect(findTurnEnd({ evidence }, events.slice(0, 3))).toBeUndefined();
  });

  it('goes by time when the evidence is no hook', () => {
    const events = eventsOf(ended('old'), ended('new'));
    const evidence = proof('transcript', 'transcript.h.1', events[0]?.atMs ?? 0);
    expect(findTurnEnd({ evidence }, events)).toEqual({ kind: 'answered', answer: 'new' });
  });

  it('tells a limit, a failure and an interrupt apart', () => {
    const endBy = (fact: HookFact) => {
      const events = eventsOf(prompted, fact);
      return findTurnEnd({ evidence: proof('hook', '0.1.Event', 0) }, events);
    };
    expect(endBy({ kind: 'turn-failed', error: 'x', limited: true })).toMatchObject({
      reason: 'limit: x',
    });
    expect(endBy({ kind: 'turn-failed', error: 'x', limited: false })).toMatchObject({
      reason: 'failed: x',
    });
    expect(endBy({ kind: 'turn-interrupted' })).toMatchObject({ kind: 'no-answer' });
    expect(endBy({ kind: 'turn-ended' })).toEqual({ kind: 'answered', answer: null });
  });
});
