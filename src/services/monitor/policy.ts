import { ulidTimeMs } from '../../base/ulid.ts';
import type { Launch } from '../../domain/launch.ts';
import type { ProcessSpace } from '../../domain/owner.ts';
import { isSameSpace } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import type { Settings } from '../../domain/settings.ts';
import type { World } from '../../ports/fleet-care.ts';

/** The brake counts resumes of this long. Milliseconds. */
export const BRAKE_WINDOW_MS = 60 * 60_000;
/** A crash that is older was left so by somebody. Milliseconds. */
const FRESH_MS = 10 * 60_000;
/** From the end to the next try; four times as long for each resume that the brake counts. Milliseconds. */
const FIRST_DELAY_MS = 5_000;

export interface PolicyView {
  readonly policies: Settings['policies'];
  readonly world: World;
  /** Every session of the registry. */
  readonly sessions: readonly Session[];
  readonly launchesOf: (sessionId: string) => readonly Launch[];
  readonly self: ProcessSpace;
  readonly nowMs: number;
  /** The first look of this monitor that may act. */
  readonly isStart: boolean;
}

export interface ResumeIntent {
  readonly session: Session;
  readonly why: 'crash' | 'server' | 'start';
  /** `braked`: it would be, and has been too often. */
  readonly verdict: 'resume' | 'braked';
  /** Resumes in the last hour, this one left out. */
  readonly earlier: number;
}

/** Which sessions are brought back now. Pure. */
export function resumesDue(view: PolicyView): readonly ResumeIntent[] {
  const { policies, world, sessions } = view;
  if (world.isFirstLook) return [];
  const lost = world.server === 'gone' ? lostWithServer(view) : [];
  const isWanted = view.isStart ? policies.resumeAtStart : policies.autoResume;
  const why = view.isStart ? 'start' : 'server';
  return [
    ...(isWanted ? lost.map((session) => intent(view, session, why)) : []),
    ...(policies.autoResume
      ? sessions
          .filter((session) => hasCrashed(view, session))
          .map((session) => intent(view, session, 'crash'))
      : []),
  ].filter((each) => each.verdict === 'braked' || isTime(view, each));
}

function lostWithServer({ world }: PolicyView): readonly Session[] {
  return world.sessions
    .filter(({ seen, isHeld }) => !isHeld && !seen.isRemote && !seen.agentAlive)
    .map(({ seen }) => seen.session)
    .filter(({ resumable, adopted }) => resumable && !adopted);
}

/** It ended, nobody had asked for that, and no person has come upon it since. */
function hasCrashed({ self, nowMs, launchesOf }: PolicyView, session: Session): boolean {
  const { id, status, resumable, adopted, ended } = session;
  // Who started an agent by hand ends it by hand as well, and nobody records how.
  if (status !== 'terminated' || !resumable || adopted) return false;
  if (!ended || ended.by === 'user') return false;
  if (!isSameSpace(session, self) || nowMs - Date.parse(ended.at) >= FRESH_MS) return false;
  // Somebody is bringing it back.
  return launchesOf(id).every(({ state }) => state === 'ended');
}

function intent(view: PolicyView, session: Session, why: ResumeIntent['why']): ResumeIntent {
  const earlier = view
    .launchesOf(session.id)
    .filter(({ kind, id }) => kind === 'resume' && view.nowMs - ulidTimeMs(id) < BRAKE_WINDOW_MS);
  const isBraked = earlier.length >= view.policies.autoResumeMax;
  return { session, why, verdict: isBraked ? 'braked' : 'resume', earlier: earlier.length };
}

function isTime({ nowMs }: PolicyView, { session, earlier }: ResumeIntent): boolean {
  if (earlier === 0 || !session.ended) return true;
  return nowMs - Date.parse(session.ended.at) >= retryDelayMs(earlier);
}

/** How long after an end, or a failure, the next try comes. @param tries - Those before it, from 1. */
export function retryDelayMs(tries: number): number {
  return Math.min(FIRST_DELAY_MS * 4 ** (tries - 1), FRESH_MS / 2);
}

/** Whether what was decided of a session still is so: it is on the same launch, and nobody has stopped it. */
export function isAsDecided(decided: Session, current: Session): boolean {
  return current.launch === decided.launch && current.ended?.by !== 'user';
}
