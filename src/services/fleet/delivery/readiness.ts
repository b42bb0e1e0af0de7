import { type Activity, runsTurn } from '../../../domain/activity.ts';
import type { AgentAdapter, DismissKey, TypingPlan } from '../../../ports/agent-adapter.ts';
import { deriveActivity } from '../activity.ts';
import type { Observation } from '../observe.ts';

/** Why a session takes no prompt for good: a person, or another command, must act first. */
export type RefusalReason =
  | 'dialog'
  | 'draft'
  | 'mode'
  | 'shell-mode'
  | 'limit'
  | 'overlay'
  | 'ended'
  | 'lost'
  | 'remote';

/** What keeps a prompt from going on. */
export type Obstacle =
  /** It will take a prompt by itself: working, starting, redrawing. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** It waits for a person's trust or login; the prompt stays queued. */
  | { readonly kind: 'blocked'; readonly reason: 'trust' | 'login' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** How one attempt at a delivery ended. */
export type Outcome = { readonly kind: 'ready' } | Obstacle;

/** `covered`: ready once this key has put away what takes the keys before the composer does. */
export type Readiness = Outcome | { readonly kind: 'covered'; readonly key: DismissKey };

/** Whether a prompt may be typed now. Nothing goes into a shell, a dialog, a mode or a draft. */
export function readiness(seen: Observation, nowMs: number): Readiness {
  if (seen.isRemote) {
    const { host, pidNamespace } = seen.session;
    return {
      kind: 'refused',
      reason: 'remote',
      detail: `it runs on host ${host}, ${pidNamespace}`,
    };
  }
  // What is typed would wait in its terminal, and come out together.
  if (seen.agentState === 'T') return { kind: 'wait', reason: 'stopped' };
  const inTheWay = activityObstacle(deriveActivity(seen, nowMs)) ?? paneObstacle(seen);
  if (inTheWay) return inTheWay;
  const key = seen.reading?.dismissKey;
  if (key !== undefined) return { kind: 'covered', key };
  return screenObstacle(seen) ?? { kind: 'ready' };
}

function activityObstacle(activity: Activity): Obstacle | undefined {
  const { state, detail = '' } = activity;
  switch (state) {
    case 'idle':
      return undefined;
    case 'unknown':
      return detail === OVERLAY ? OVERLAID : { kind: 'wait', reason: state };
    case 'working':
      return runsTurn(activity) ? { kind: 'wait', reason: state } : undefined;
    case 'starting':
      return { kind: 'wait', reason: state };
    case 'awaiting-approval':
    case 'awaiting-answer':
      return dialogObstacle(detail || state);
    case 'limited':
      return { kind: 'refused', reason: 'limit', detail: 'a usage limit is reached' };
    case 'exited':
      return { kind: 'refused', reason: 'ended', detail };
    case 'lost':
      return { kind: 'refused', reason: 'lost', detail };
  }
}

function screenObstacle(seen: Observation): Obstacle | undefined {
  const { reading, stateFile } = seen;
  if (showsOverlay(seen)) return OVERLAID;
  const composer = reading?.composer;
  if (!composer) return { kind: 'wait', reason: 'no composer is visible' };
  // A hook that told of the end of a turn may be older than the turn on the screen.
  if (!stateFile && runsTurn(reading)) return { kind: 'wait', reason: 'working' };
  if (composer.mode !== 'prompt') {
    return { kind: 'refused', reason: 'shell-mode', detail: 'its composer is not in prompt mode' };
  }
  if (composer.empty) return undefined;
  return { kind: 'refused', reason: 'draft', detail: FOREIGN_DRAFT };
}

const OVERLAY = 'overlay';
const OVERLAID: Obstacle = {
  kind: 'refused',
  reason: 'overlay',
  detail: 'a command of its own has opened something over its composer',
};

/** Something stands in its composer's place, by its own word or by its screen. */
export function showsOverlay({ reading, stateFile }: Observation): boolean {
  const isTold = stateFile?.detail === OVERLAY || reading?.detail === OVERLAY;
  return isTold && !reading?.composer && !reading?.dialog;
}

const FOREIGN_DRAFT = 'its composer holds a draft that is not ours';

/** Its server lives but cannot be reached: nothing is known of the pane. */
export const UNREACHABLE: Obstacle = { kind: 'refused', reason: 'lost', detail: 'socket-missing' };

/** What keeps Enter from reaching a text that was typed already: all of it may pass. */
export function obstacle(seen: Observation): Obstacle | undefined {
  const { reading, server } = seen;
  if (server === 'unreachable') return UNREACHABLE;
  if (reading?.dialog) return dialogObstacle(reading.dialog.rule.detail);
  if (showsOverlay(seen)) return OVERLAID;
  return paneObstacle(seen);
}

/** Trust and login wait for a person with the prompt queued; any other dialog is in the way. */
export function dialogObstacle(detail: string): Obstacle {
  return detail === 'trust' || detail === 'login'
    ? { kind: 'blocked', reason: detail }
    : { kind: 'refused', reason: 'dialog', detail };
}

function paneObstacle({ pane, inForeground }: Observation): Obstacle | undefined {
  if (pane?.mode !== undefined) return { kind: 'refused', reason: 'mode', detail: pane.mode };
  if (!inForeground) return { kind: 'wait', reason: 'another program holds the terminal' };
  return undefined;
}

/** The composer holds the plan's text, nothing of anybody else's, and takes keys now. */
export function screenHolds(seen: Observation, adapter: AgentAdapter, plan: TypingPlan): boolean {
  const composer = seen.reading?.composer;
  return (
    composer?.mode === 'prompt' &&
    obstacle(seen) === undefined &&
    adapter.composerHolds(composer, plan)
  );
}

/** Two looks are equal when they say the same and nothing moved in between. */
export function sameLook(a: Observation, b: Observation): boolean {
  return (
    a.pane?.cursor.x === b.pane?.cursor.x &&
    a.pane?.cursor.y === b.pane?.cursor.y &&
    a.reading?.state === b.reading?.state &&
    a.reading?.dialog?.rule.id === b.reading?.dialog?.rule.id &&
    a.reading?.composer?.text === b.reading?.composer?.text
  );
}
