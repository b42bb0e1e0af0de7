import type { Activity } from '../../../domain/activity.ts';
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
  | 'stopped';

export type Readiness =
  | { readonly kind: 'ready' }
  /** It will take a prompt by itself: working, starting, redrawing. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** It waits for a person's trust or login; the prompt stays queued. */
  | { readonly kind: 'blocked'; readonly reason: 'trust' | 'login' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** Whether a prompt may be typed now. Nothing goes into a shell, a dialog, a mode or a draft. */
export function readiness(seen: Observation, nowMs: number): Readiness {
  return activityReadiness(deriveActivity(seen, nowMs)) ?? screenReadiness(seen);
}

function activityReadiness(activity: Activity): Readiness | undefined {
  const { state, detail = '' } = activity;
  switch (state) {
    case 'idle':
      return undefined;
    case 'starting':
    case 'working':
    case 'unknown':
      return { kind: 'wait', reason: state };
    case 'awaiting-approval':
    case 'awaiting-answer':
      return detail === 'trust' || detail === 'login'
        ? { kind: 'blocked', reason: detail }
        : { kind: 'refused', reason: 'dialog', detail: detail || state };
    case 'limited':
      return { kind: 'refused', reason: 'limit', detail: 'a usage limit is reached' };
    case 'exited':
      return { kind: 'refused', reason: 'ended', detail };
    case 'lost':
      return { kind: 'refused', reason: 'lost', detail };
  }
}

function screenReadiness({ pane, reading, inForeground }: Observation): Readiness {
  if (pane?.mode !== undefined) return { kind: 'refused', reason: 'mode', detail: pane.mode };
  if (!inForeground) return { kind: 'wait', reason: 'another program holds the terminal' };
  const composer = reading?.composer;
  if (!composer) return { kind: 'wait', reason: 'no composer is visible' };
  if (composer.mode !== 'prompt') {
    return { kind: 'refused', reason: 'shell-mode', detail: 'its composer is not in prompt mode' };
  }
  if (!composer.empty) {
    return {
      kind: 'refused',
      reason: 'draft',
      detail: 'its composer holds a draft that is not ours',
    };
  }
  return { kind: 'ready' };
}

/** Two looks are equal when they say the same and nothing moved in between. */
export function sameLook(a: Observation, b: Observation): boolean {
  return (
    a.pane?.cursor.x === b.pane?.cursor.x &&
    a.pane?.cursor.y === b.pane?.cursor.y &&
    a.reading?.state === b.reading?.state &&
    a.reading?.composer?.text === b.reading?.composer?.text
  );
}
