import type { HookEvent, HookFact } from '../../src/domain/hook-fact.ts';
import { plainScreen } from '../../src/domain/screen.ts';
import type { Composer, Dialog, ScreenReading } from '../../src/ports/agent-adapter.ts';
import type { PaneLook } from '../../src/ports/multiplexer.ts';
import type { Observation } from '../../src/services/fleet/observe.ts';
import { exampleSession } from './example-session.ts';

export const NOW_MS = 1_800_000_000_000;

export const emptyComposer: Composer = { text: '', empty: true, mode: 'prompt', row: 3 };

export function draft(text: string): Composer {
  return { text, empty: false, mode: 'prompt', row: 3 };
}

export const idleReading: ScreenReading = { state: 'idle', composer: emptyComposer };

/** A dialog as one of an agent's rules would read it. */
export function dialog(detail: string, kind: 'approval' | 'answer' = 'approval'): Dialog {
  const options = [
    { label: 'Yes', marked: true },
    { label: 'Yes, and always allow rm', marked: false },
    { label: 'No', marked: false },
  ];
  const rule = { id: detail, kind, yes: /^Yes$/, no: /^No$/, policy: 'never', detail } as const;
  return { rule, title: 'Do you want to proceed?', options };
}

export function dialogReading(detail: string): ScreenReading {
  return { state: 'awaiting-approval', detail, dialog: dialog(detail) };
}

/** Events, the oldest first, one second apart, the newest 10 s ago. */
export function eventsOf(...facts: readonly HookFact[]): readonly HookEvent[] {
  return facts.map((fact, i) => ({
    name: `${i}.1.Event`,
    atMs: NOW_MS - 10_000 - (facts.length - 1 - i) * 1_000,
    fact,
  }));
}

export const started: HookFact = { kind: 'conversation-started', cause: 'startup' };

const pane: PaneLook = {
  ...{ paneId: '%1', sessionId: '$1', sessionName: 'demo-creator-a1', panePid: 10, paneIndex: 0 },
  ...{ dead: false, mode: undefined, cols: 140, rows: 40, cursor: { x: 2, y: 3 }, title: '' },
  outputAtMs: 0,
  ...{ workspaceTag: 'w', sessionTag: 's', launchTag: 'l', pasted: 0, pressed: 0 },
};

/** An agent that is up, idle, and has an empty composer. */
export function exampleObservation(change: Partial<Observation> = {}): Observation {
  return {
    session: exampleSession('a1'),
    server: 'up',
    isRemote: false,
    agent: { pid: 11, startTicks: '1' },
    agentAlive: true,
    inForeground: true,
    agentState: 'S',
    exit: undefined,
    pane,
    screen: plainScreen('a\nb\n──\n❯ \n──\n'),
    reading: idleReading,
    events: eventsOf(started),
    waiting: 0,
    hooksExpected: true,
    stateFile: undefined,
    ...change,
  };
}

export function inMode(mode: string): Observation {
  return exampleObservation({ pane: { ...pane, mode } });
}

export function withCursor(cursor: { x: number; y: number }): Observation {
  return exampleObservation({ pane: { ...pane, cursor } });
}
