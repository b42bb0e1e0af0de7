import { type Activity, runsTurn } from '../../domain/activity.ts';
import type { ScreenReading } from '../../ports/agent-adapter.ts';
import { type Folded, foldFacts, isYoung } from './activity-facts.ts';
import type { Observation } from './observe.ts';

/**
 * What an agent is doing, with the evidence. Order of trust: process facts for life, death and SIGSTOP; then
 * hook and state file, the newer of the two (a deliberate Escape fires no hook); then the screen.
 *
 * @param staleMs - How long an agent at work may give no sign of it; default for ever.
 */
export function deriveActivity(
  seen: Observation,
  nowMs: number,
  staleMs = Number.POSITIVE_INFINITY,
): Activity {
  const activity =
    toldByProcess(seen) ?? dialogOnScreen(seen) ?? reported(seen, nowMs) ?? shown(seen);
  return runsTurn(activity) ? (stale(seen, nowMs - staleMs) ?? activity) : activity;
}

/** It said that it is at work, and neither its terminal nor its hooks nor its files have moved since. */
function stale({ pane, events, stateFile }: Observation, beforeMs: number): Activity | undefined {
  const signs = [pane?.outputAtMs, events.at(-1)?.atMs, stateFile?.updatedAtMs];
  const sinceMs = Math.max(...signs.map((each) => each ?? 0));
  if (sinceMs === 0 || sinceMs > beforeMs) return undefined;
  return { state: 'working', source: 'screen', confidence: 'low', sinceMs, detail: 'stale' };
}

function toldByProcess(seen: Observation): Activity | undefined {
  const { session, exit } = seen;
  const process = { source: 'process', confidence: 'high' } as const;
  if (session.status !== 'running') {
    const since = session.ended?.at ?? session.stoppedAt;
    return { state: 'exited', ...process, ...(since ? { sinceMs: Date.parse(since) } : {}) };
  }
  if (seen.isRemote)
    return { state: 'unknown', source: 'process', confidence: 'low', detail: 'remote' };
  if (seen.server === 'unreachable') return { state: 'lost', ...process, detail: 'socket-missing' };
  if (seen.server === 'gone') return { state: 'lost', ...process, detail: 'server-gone' };
  if (exit) {
    return { state: 'exited', ...process, sinceMs: exit.atMs, detail: `status ${exit.status}` };
  }
  if (seen.agent && !seen.agentAlive)
    return { state: 'exited', ...process, detail: 'status unknown' };
  if (!seen.pane) return { state: 'lost', ...process, detail: 'pane-gone' };
  if (!seen.agent) return { state: 'starting', ...process };
  // What it said and shows is of before: it does nothing now, and answers nothing.
  if (seen.agentState === 'T') return { state: 'unknown', ...process, detail: 'stopped' };
  return undefined;
}

/** A dialog that is visible now is the strongest word there is: it comes before any hook. */
function dialogOnScreen({ reading }: Observation): Activity | undefined {
  if (!reading?.dialog) return undefined;
  const { kind, detail } = reading.dialog.rule;
  const state = kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
  return { state, source: 'screen', confidence: 'high', detail };
}

function reported(seen: Observation, nowMs: number): Activity | undefined {
  const hook = foldFacts(seen.events);
  const file = seen.stateFile;
  if (hook?.state === 'limited' && !isAtWorkSince(seen, hook)) return limit(hook, seen, nowMs);
  if (file && (!hook || file.updatedAtMs >= hook.atMs)) {
    return {
      state: file.state,
      source: 'state-file',
      confidence: 'high',
      sinceMs: file.updatedAtMs,
      ...(file.detail === undefined ? {} : { detail: file.detail }),
    };
  }
  if (!hook) return undefined;
  return contradicted(hook, seen, nowMs) ?? toActivity(hook);
}

/** Its own state file says that something goes on, after the hook told of the limit. */
function isAtWorkSince({ stateFile }: Observation, { atMs }: Folded): boolean {
  return stateFile !== undefined && stateFile.state !== 'idle' && stateFile.updatedAtMs >= atMs;
}

/**
 * A limit lifts when its time has come. Where that is not known (a key's 429 tells none) the screen
 * decides, once it is old enough: a composer without a note of the limit may be tried.
 */
function limit(hook: Folded, { reading }: Observation, nowMs: number): Activity | undefined {
  const { untilMs } = hook;
  if (untilMs !== undefined) return untilMs > nowMs ? toActivity(hook) : undefined;
  const mayBeTried = reading?.state === 'idle' || reading?.state === 'working';
  const isLifted = mayBeTried && !isYoung(hook, nowMs);
  return isLifted ? undefined : toActivity(hook);
}

/**
 * Without a state file an interrupt leaves no trace but the screen: when that is old enough and clear,
 * it corrects the hook's word.
 */
function contradicted(hook: Folded, seen: Observation, nowMs: number): Activity | undefined {
  const { reading, stateFile } = seen;
  if (stateFile || !reading || isYoung(hook, nowMs)) return undefined;
  const isClear = reading.state === 'idle' || reading.state === 'working';
  const mayBeWrong = hook.state !== 'limited' && hook.state !== 'exited';
  const isAnother = hook.state !== reading.state || runsTurn(hook) !== runsTurn(reading);
  if (!isClear || !mayBeWrong || !isAnother) return undefined;
  return { state: reading.state, source: 'screen', confidence: 'medium', ...detailOf(reading) };
}

function shown({ reading, events, hooksExpected }: Observation): Activity {
  if (reading?.state === 'limited')
    return { state: 'limited', source: 'screen', confidence: 'medium' };
  // Nothing was heard of the agent yet: a composer that is drawn may not be read.
  if (hooksExpected && events.length === 0)
    return { state: 'starting', source: 'screen', confidence: 'low' };
  const state = reading?.state ?? 'unknown';
  const confidence = state === 'unknown' ? 'low' : 'medium';
  return { state, source: 'screen', confidence, ...detailOf(reading) };
}

function detailOf(reading: ScreenReading | undefined): { readonly detail?: string } {
  return reading?.detail === undefined ? {} : { detail: reading.detail };
}

function toActivity(hook: Folded): Activity {
  return {
    state: hook.state,
    source: 'hook',
    confidence: 'high',
    sinceMs: hook.atMs,
    ...(hook.detail === undefined ? {} : { detail: hook.detail }),
    ...(hook.untilMs === undefined ? {} : { untilMs: hook.untilMs }),
  };
}
