import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dialogReading,
  emptyComposer,
  eventsOf,
  exampleObservation,
  idleReading,
  NOW_MS,
  started,
} from '../../../test/support/example-observation.ts';
import { exampleSession } from '../../../test/support/example-session.ts';
import { type ActivityState, activityStates } from '../../domain/activity.ts';
import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';
import type { ScreenReading } from '../../ports/agent-adapter.ts';
import { deriveActivity } from './activity.ts';
import { foldFacts } from './activity-facts.ts';
import type { Observation } from './observe.ts';

const derive = (change: Partial<Observation>) => deriveActivity(exampleObservation(change), NOW_MS);
const prompted: HookFact = { kind: 'prompt-submitted', promptHash: 'h' };
const working: ScreenReading = { state: 'working', composer: emptyComposer };

const anyFact: fc.Arbitrary<HookFact> = fc.oneof(
  fc.constantFrom<HookFact>(
    ...(['startup', 'resume', 'clear', 'compact'] as const).map(
      (cause) => ({ kind: 'conversation-started', cause }) as const,
    ),
    { kind: 'conversation-ended', reason: 'clear', processEnds: false },
    prompted,
    { kind: 'turn-started' },
    { kind: 'tool-started', tool: 'Bash' },
    { kind: 'tool-ended', tool: 'Bash' },
    { kind: 'approval-wanted', tool: 'Bash' },
    { kind: 'answer-wanted', tool: 'AskUserQuestion' },
    { kind: 'model-asked' },
    { kind: 'turn-ended' },
    { kind: 'turn-ended', background: true },
    { kind: 'turn-interrupted' },
    { kind: 'turn-failed', error: 'x', limited: false },
    { kind: 'compacting' },
    { kind: 'noted', event: 'Notification' },
  ),
  fc
    .integer({ min: NOW_MS - 9_000, max: NOW_MS + 9_000 })
    .map((untilMs) => ({ kind: 'turn-failed', error: 'limit', limited: true, untilMs }) as const),
);
const anyEvents = fc.array(anyFact, { maxLength: 20 }).map((facts) => eventsOf(...facts));

describe('work in the background', () => {
  const reading: ScreenReading = { ...working, detail: 'background' };

  it('is told as such, by the screen alone and against an older word of a hook', () => {
    const background = { state: 'working', detail: 'background', source: 'screen' };
    expect(derive({ events: [], hooksExpected: false, reading })).toMatchObject(background);
    expect(derive({ events: eventsOf({ kind: 'turn-ended' }), reading })).toMatchObject(background);
  });

  it('is never stale, however quiet it is', () => {
    const seen = exampleObservation({ events: [], hooksExpected: false, reading });
    const quiet = { ...seen, pane: seen.pane && { ...seen.pane, outputAtMs: 1 } };
    expect(deriveActivity(quiet, NOW_MS, 1).detail).toBe('background');
    const turn = { ...quiet, reading: working };
    expect(deriveActivity(turn, NOW_MS, 1).detail).toBe('stale');
  });

  it('is told of a turn that was interrupted', () => {
    const events = eventsOf({ kind: 'model-asked' });
    expect(derive({ events, reading })).toMatchObject({ detail: 'background', source: 'screen' });
  });

  it('is over when the screen says so', () => {
    const events = eventsOf({ kind: 'turn-ended', background: true });
    expect(derive({ events, reading: idleReading })).toMatchObject({ state: 'idle' });
  });
});

describe('foldFacts', () => {
  it('knows nothing without an event that tells a state', () => {
    expect(foldFacts([])).toBeUndefined();
    expect(foldFacts(eventsOf({ kind: 'noted', event: 'x' }))).toBeUndefined();
  });

  it.each<[HookFact, string, string | undefined]>([
    [started, 'idle', undefined],
    [prompted, 'working', undefined],
    [{ kind: 'tool-started', tool: 'x' }, 'working', undefined],
    [{ kind: 'tool-ended', tool: 'x' }, 'working', undefined],
    [{ kind: 'compacting' }, 'working', undefined],
    [{ kind: 'approval-wanted', tool: 'x' }, 'awaiting-approval', 'permission'],
    [{ kind: 'answer-wanted', tool: 'x' }, 'awaiting-answer', 'question'],
    [{ kind: 'model-asked' }, 'working', undefined],
    [{ kind: 'turn-ended' }, 'idle', undefined],
    [{ kind: 'turn-ended', background: true }, 'working', 'background'],
    [{ kind: 'turn-interrupted' }, 'idle', undefined],
    [{ kind: 'turn-failed', error: 'x', limited: false }, 'idle', 'error'],
    [{ kind: 'turn-failed', error: 'x', limited: true }, 'limited', 'limit'],
  ])('tells the state after %j', (fact, state, detail) => {
    const folded = foldFacts(eventsOf(fact));
    expect([folded?.state, folded?.detail]).toEqual([state, detail]);
  });

  it('goes on working when the conversation was compacted in the middle of a turn', () => {
    const compacted = { kind: 'conversation-started', cause: 'compact' } as const;
    expect(foldFacts(eventsOf(started, prompted, compacted))?.state).toBe('working');
  });

  it('depends only on the newest event that tells a state, and takes its time', () => {
    fc.assert(
      fc.property(anyEvents, anyEvents, (older, newer) => {
        const both: readonly HookEvent[] = [...older, ...newer];
        const folded = foldFacts(both);
        expect(folded).toEqual(foldFacts(newer) ?? foldFacts(older));
        if (folded) expect(both.map(({ atMs }) => atMs)).toContain(folded.atMs);
      }),
    );
  });

  it('is the same after events that tell nothing', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const noted = eventsOf({ kind: 'noted', event: 'x' });
        expect(foldFacts([...events, ...noted])).toEqual(foldFacts(events));
      }),
    );
  });
});

describe('deriveActivity', () => {
  it('says for every observation one of the known states, with its source', () => {
    const states = fc.constantFrom(...activityStates);
    fc.assert(
      fc.property(anyEvents, states, fc.boolean(), (events, state, agentAlive) => {
        const activity = derive({ events, reading: { state }, agentAlive });
        expect(activityStates).toContain(activity.state);
        if (!agentAlive) expect(activity).toMatchObject({ state: 'exited', source: 'process' });
      }),
    );
  });

  it('puts life and death above all else', () => {
    const reading = dialogReading('permission');
    const exit = { status: 3, atMs: NOW_MS, hungUp: false };
    expect(derive({ reading, exit })).toMatchObject({ state: 'exited', detail: 'status 3' });
    expect(derive({ reading, server: 'gone' })).toMatchObject({ state: 'lost' });
    expect(derive({ reading, server: 'unreachable' })).toMatchObject({ detail: 'socket-missing' });
    expect(derive({ reading, pane: undefined })).toMatchObject({ detail: 'pane-gone' });
    expect(derive({ reading, isRemote: true })).toMatchObject({ state: 'unknown' });
    const stopped = exampleSession('a1', { status: 'stopped', stoppedAt: '2026-01-01T00:00:00Z' });
    expect(derive({ reading, session: stopped })).toMatchObject({
      state: 'exited',
      sinceMs: Date.parse('2026-01-01T00:00:00Z'),
    });
  });

  it('is unknown while the agent is stopped: what it said and shows is of before', () => {
    const stopped = { state: 'unknown', source: 'process', confidence: 'high', detail: 'stopped' };
    expect(derive({ agentState: 'T' })).toEqual(stopped);
    expect(derive({ agentState: 'T', reading: dialogReading('permission') })).toEqual(stopped);
    const exit = { status: 3, atMs: NOW_MS, hungUp: false };
    expect(derive({ agentState: 'T', exit })).toMatchObject({ state: 'exited' });
    expect(derive({ agentState: 'T', server: 'gone' })).toMatchObject({ state: 'lost' });
  });

  it('believes a dialog on the screen before any hook', () => {
    const events = eventsOf(started, prompted);
    expect(derive({ events, reading: dialogReading('trust') })).toMatchObject({
      state: 'awaiting-approval',
      source: 'screen',
      detail: 'trust',
    });
  });

  it('believes the newer of hook and state file', () => {
    const events = eventsOf(started, prompted);
    const file = (updatedAtMs: number) =>
      ({ pid: 11, conversationId: 'c', state: 'idle', updatedAtMs }) as const;
    expect(derive({ events, stateFile: file(NOW_MS) })).toMatchObject({
      state: 'idle',
      source: 'state-file',
    });
    expect(derive({ events, stateFile: file(0) })).toMatchObject({
      state: 'working',
      source: 'hook',
    });
  });

  it('lets a clear screen correct a hook, but not one that is young', () => {
    const events = eventsOf(started, prompted);
    expect(derive({ events })).toMatchObject({ state: 'idle', source: 'screen' });
    const young = events.map((event) => ({ ...event, atMs: NOW_MS - 100 }));
    expect(derive({ events: young })).toMatchObject({ state: 'working', source: 'hook' });
    expect(derive({ reading: working })).toMatchObject({ state: 'working', source: 'screen' });
    const asked = eventsOf(started, { kind: 'approval-wanted', tool: 'x' });
    expect(derive({ events: asked })).toMatchObject({ state: 'idle', source: 'screen' });
    expect(derive({ events: asked, reading: working })).toMatchObject({ state: 'working' });
    const unclear: ScreenReading = { state: 'unknown' };
    expect(derive({ events, reading: unclear })).toMatchObject({ state: 'working' });
  });

  it('lets it correct a hook from before the clock was set back', () => {
    const later = eventsOf(started, prompted).map((event) => ({
      ...event,
      atMs: NOW_MS + 3_600_000,
    }));
    expect(derive({ events: later })).toMatchObject({ state: 'idle', source: 'screen' });
  });

  it('does not correct a state file by the screen', () => {
    const stateFile = { pid: 11, conversationId: 'c', state: 'idle', updatedAtMs: 0 } as const;
    const events = eventsOf(started, prompted);
    expect(derive({ events, stateFile })).toMatchObject({ state: 'working', source: 'hook' });
  });

  it('is starting until something was heard of an agent that has hooks', () => {
    expect(derive({ events: [] })).toMatchObject({ state: 'starting', confidence: 'low' });
    expect(derive({ events: [], hooksExpected: false })).toMatchObject({ state: 'idle' });
    expect(derive({ agent: undefined, agentAlive: false })).toMatchObject({ state: 'starting' });
  });

  it('goes by the screen once a limit has lifted', () => {
    const limited = (untilMs: number) =>
      eventsOf({ kind: 'turn-failed', error: 'x', limited: true, untilMs });
    expect(derive({ events: limited(NOW_MS + 1) })).toMatchObject({
      state: 'limited',
      untilMs: NOW_MS + 1,
    });
    expect(derive({ events: limited(NOW_MS) })).toMatchObject({ state: 'idle', source: 'screen' });
  });

  it('goes by the screen where a limit tells no end, but not at once', () => {
    const limited = { kind: 'turn-failed', error: 'x', limited: true } as const;
    const old = eventsOf(limited);
    const fresh = old.map((event) => ({ ...event, atMs: NOW_MS - 1_000 }));
    const noted: ScreenReading = { state: 'limited', detail: 'limit', composer: emptyComposer };
    const at = (events: readonly HookEvent[], reading?: ScreenReading, file?: ActivityState) => {
      const stateFile = file && {
        state: file,
        updatedAtMs: NOW_MS - 500,
        pid: 11,
        conversationId: 'c',
      };
      const { state, source } = derive({ events, reading, stateFile });
      return [state, source];
    };
    expect(at(fresh, idleReading)).toEqual(['limited', 'hook']);
    expect(at(old, idleReading)).toEqual(['idle', 'screen']);
    expect(at(old, noted)).toEqual(['limited', 'hook']);
    expect(at(old, undefined)).toEqual(['limited', 'hook']);
    // Its state file is idle behind the note as well.
    expect(at(old, noted, 'idle')).toEqual(['limited', 'hook']);
    expect(at(old, idleReading, 'idle')).toEqual(['idle', 'screen']);
    expect(at(old, noted, 'working')).toEqual(['working', 'state-file']);
  });

  it('never guesses: an unknown screen without events is unknown', () => {
    const reading: ScreenReading = { state: 'unknown' };
    expect(derive({ events: [], hooksExpected: false, reading })).toEqual({
      state: 'unknown',
      source: 'screen',
      confidence: 'low',
    });
  });

  it('is stale when an agent at work gives no sign any more: BL-25', () => {
    const example = exampleObservation({ events: eventsOf(started, prompted), reading: working });
    const { events } = example;
    const [lastMs = 0] = events.slice(-1).map(({ atMs }) => atMs);
    const staleMs = NOW_MS - lastMs;
    const seen = (outputAtMs: number) =>
      deriveActivity(
        { ...example, pane: example.pane && { ...example.pane, outputAtMs } },
        NOW_MS,
        staleMs,
      );
    expect(seen(0)).toEqual({
      ...{ state: 'working', detail: 'stale', source: 'screen', confidence: 'low' },
      sinceMs: lastMs,
    });
    expect(seen(lastMs + 1)).toMatchObject({ state: 'working', source: 'hook' });
    expect(seen(lastMs + 1).detail).toBeUndefined();
    expect(deriveActivity(example, NOW_MS).detail).toBeUndefined();
  });

  it('is never stale while it waits for somebody, however long', () => {
    const waits = { ...exampleObservation({ reading: dialogReading('permission') }), events: [] };
    expect(deriveActivity(waits, NOW_MS, 1).detail).not.toBe('stale');
  });

  it('says what the screen says of its state', () => {
    const reading: ScreenReading = { state: 'unknown', detail: 'overlay' };
    const seen = derive({ events: [], hooksExpected: false, reading });
    expect(seen).toMatchObject({ state: 'unknown', detail: 'overlay' });
  });

  it('is working from the start of a turn on, of whichever prompt', () => {
    const events = eventsOf({ kind: 'turn-started' });
    const seen = derive({ events, hooksExpected: false, reading: working });
    expect(seen).toMatchObject({ state: 'working', source: 'hook' });
  });
});
