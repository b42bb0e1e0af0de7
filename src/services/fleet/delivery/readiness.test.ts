import { describe, expect, it } from 'vitest';
import {
  dialogReading,
  draft,
  emptyComposer,
  eventsOf,
  exampleObservation,
  idleReading,
  inMode,
  NOW_MS,
  started,
  withCursor,
} from '../../../../test/support/example-observation.ts';
import { exampleSession } from '../../../../test/support/example-session.ts';
import { demo } from '../../../agents/demo/index.ts';
import type { Observation } from '../observe.ts';
import { obstacle, readiness, sameLook, screenHolds } from './readiness.ts';

const judge = (change: Partial<Observation>) => readiness(exampleObservation(change), NOW_MS);

describe('readiness', () => {
  it('is ready when the agent is idle and its composer empty', () => {
    expect(judge({})).toEqual({ kind: 'ready' });
  });

  it('waits for what passes by itself', () => {
    const prompted = { kind: 'prompt-submitted', promptHash: 'h' } as const;
    expect(judge({ events: eventsOf(started, prompted), reading: { state: 'working' } })).toEqual({
      kind: 'wait',
      reason: 'working',
    });
    expect(judge({ events: [] })).toMatchObject({ kind: 'wait', reason: 'starting' });
    expect(judge({ agent: undefined, agentAlive: false })).toMatchObject({ reason: 'starting' });
    expect(judge({ reading: undefined })).toMatchObject({ kind: 'wait' });
    expect(judge({ inForeground: false })).toMatchObject({ kind: 'wait' });
  });

  it('takes a prompt while something runs on in the background', () => {
    const reading = { ...idleReading, state: 'working', detail: 'background' } as const;
    expect(judge({ events: [], hooksExpected: false, reading })).toEqual({ kind: 'ready' });
    const events = eventsOf({ kind: 'turn-ended', background: true });
    expect(judge({ events, hooksExpected: false, reading })).toEqual({ kind: 'ready' });
    const other = { ...reading, detail: 'compacting' };
    expect(judge({ events: [], hooksExpected: false, reading: other })).toMatchObject({
      kind: 'wait',
    });
  });

  it('tells what must be put away first, once nothing else is in the way', () => {
    const covered = { state: 'idle', dismissKey: '0' } as const;
    const quiet = { events: [], hooksExpected: false };
    expect(judge({ ...quiet, reading: covered })).toEqual({ kind: 'covered', key: '0' });
    expect(judge({ ...quiet, reading: covered, inForeground: false })).toMatchObject({
      kind: 'wait',
    });
    expect(judge({ ...quiet, reading: covered, pane: inMode('copy-mode').pane })).toMatchObject({
      reason: 'mode',
    });
    const working = { ...covered, state: 'working' } as const;
    expect(judge({ ...quiet, reading: working })).toMatchObject({ kind: 'wait' });
  });

  it('does not believe the end of a turn that is older than what the screen shows', () => {
    const events = eventsOf(started, { kind: 'turn-ended' });
    const reading = { ...idleReading, state: 'working' } as const;
    const young = events.map((event) => ({ ...event, atMs: NOW_MS - 10 }));
    expect(judge({ events: young, reading })).toEqual({ kind: 'wait', reason: 'working' });
  });

  it.each(['trust', 'login'])('stays queued behind a question of %s', (detail) => {
    expect(judge({ reading: dialogReading(detail) })).toEqual({ kind: 'blocked', reason: detail });
  });

  it('refuses where a person must act first', () => {
    expect(judge({ reading: dialogReading('permission') })).toEqual({
      kind: 'refused',
      reason: 'dialog',
      detail: 'permission',
    });
    expect(judge({ reading: { state: 'idle', composer: draft('half a thought') } })).toMatchObject({
      reason: 'draft',
    });
    const shell = { ...draft('ls'), mode: 'shell' } as const;
    expect(judge({ reading: { state: 'idle', composer: shell } })).toMatchObject({
      reason: 'shell-mode',
    });
    expect(readiness(inMode('copy-mode'), NOW_MS)).toMatchObject({ detail: 'copy-mode' });
    const limited = { kind: 'turn-failed', error: 'rate_limit', limited: true } as const;
    const events = eventsOf(started, limited);
    const noted = { state: 'limited', detail: 'limit', composer: emptyComposer } as const;
    expect(judge({ events, reading: noted })).toMatchObject({ reason: 'limit' });
    // A limit without an end, and no note of it any more: it may be tried.
    expect(judge({ events })).toMatchObject({ kind: 'ready' });
  });

  it('refuses while something of its own stands over the composer', () => {
    const stateFile = {
      pid: 11,
      conversationId: 'c',
      state: 'unknown',
      updatedAtMs: NOW_MS,
    } as const;
    const reading = { state: 'unknown' } as const;
    const overlay = { ...stateFile, detail: 'overlay' };
    expect(judge({ stateFile: overlay, reading })).toMatchObject({ reason: 'overlay' });
    expect(judge({ stateFile, reading })).toEqual({ kind: 'wait', reason: 'unknown' });
    const typed = exampleObservation({ stateFile: overlay, reading });
    expect(obstacle(typed)).toMatchObject({ reason: 'overlay' });
    // One that keeps no such file shows it.
    const shown = { reading: { ...reading, detail: 'overlay' } };
    expect(judge(shown)).toMatchObject({ reason: 'overlay' });
    expect(judge({ ...shown, events: [], hooksExpected: false })).toMatchObject({
      reason: 'overlay',
    });
    expect(obstacle(exampleObservation(shown))).toMatchObject({ reason: 'overlay' });
    // A composer that is visible says more than the file.
    expect(obstacle({ ...typed, reading: idleReading })).toBeUndefined();
  });

  it('refuses what is not there', () => {
    const exit = { status: 3, atMs: NOW_MS, hungUp: false };
    expect(judge({ exit, agentAlive: false })).toMatchObject({ reason: 'ended' });
    expect(judge({ pane: undefined })).toMatchObject({ reason: 'lost', detail: 'pane-gone' });
    expect(judge({ server: 'unreachable' })).toMatchObject({ reason: 'lost' });
    expect(judge({ session: exampleSession('a1', { status: 'stopped' }) })).toMatchObject({
      reason: 'ended',
    });
    expect(judge({ isRemote: true })).toMatchObject({ kind: 'refused', reason: 'remote' });
  });
});

describe('obstacle, for a text that was typed already', () => {
  it('is none while only the agent works or a draft stands there', () => {
    expect(obstacle(exampleObservation())).toBeUndefined();
    const working = { state: 'working', composer: draft('hi') } as const;
    expect(obstacle(exampleObservation({ reading: working }))).toBeUndefined();
  });

  it('names dialogs, modes and a server out of reach', () => {
    const behind = (change: Partial<Observation>) => obstacle(exampleObservation(change));
    expect(behind({ reading: dialogReading('permission') })).toMatchObject({ reason: 'dialog' });
    expect(behind({ reading: dialogReading('trust') })).toMatchObject({ kind: 'blocked' });
    expect(behind({ server: 'unreachable' })).toMatchObject({ reason: 'lost' });
    expect(behind({ inForeground: false })).toMatchObject({ kind: 'wait' });
    expect(obstacle(inMode('view-mode'))).toMatchObject({ reason: 'mode', detail: 'view-mode' });
  });
});

describe('screenHolds', () => {
  const plan = demo.planTyping('hello');
  const holds = (seen: Observation) => screenHolds(seen, demo, plan);
  const shown = { state: 'idle', composer: draft('hello') } as const;

  it('sees exactly the text of the plan', () => {
    expect(holds(exampleObservation({ reading: shown }))).toBe(true);
    const more = { state: 'idle', composer: draft('hello you') } as const;
    expect(holds(exampleObservation({ reading: more }))).toBe(false);
    expect(holds(exampleObservation())).toBe(false);
  });

  it('sees nothing that keys would not reach', () => {
    const { dialog } = dialogReading('permission');
    const covered = { ...shown, ...(dialog ? { dialog } : {}) };
    expect(holds(exampleObservation({ reading: covered }))).toBe(false);
    expect(holds({ ...inMode('copy-mode'), reading: shown })).toBe(false);
    expect(holds(exampleObservation({ reading: shown, inForeground: false }))).toBe(false);
    const shell = { ...shown.composer, mode: 'shell' } as const;
    expect(holds(exampleObservation({ reading: { ...shown, composer: shell } }))).toBe(false);
  });
});

describe('sameLook', () => {
  it('sees a cursor, a draft, a dialog and a state that moved', () => {
    const look = exampleObservation();
    expect(sameLook(look, exampleObservation())).toBe(true);
    expect(sameLook(look, withCursor({ x: 3, y: 3 }))).toBe(false);
    expect(sameLook(look, withCursor({ x: 2, y: 4 }))).toBe(false);
    const change = (reading: Observation['reading']) => exampleObservation({ reading });
    expect(sameLook(look, change({ state: 'idle', composer: draft('h') }))).toBe(false);
    expect(sameLook(look, change(dialogReading('permission')))).toBe(false);
    expect(sameLook(look, change({ ...idleReading, state: 'working' }))).toBe(false);
  });
});
