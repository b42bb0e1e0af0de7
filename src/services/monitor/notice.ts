import { visibleLine } from '../../base/visible.ts';
import type { Activity, ActivityState } from '../../domain/activity.ts';
import type { Session } from '../../domain/session.ts';
import type { NoticeKind } from '../../domain/settings.ts';
import type { Attended } from '../../ports/fleet-care.ts';

/** Something that a person may want to know at once. Our own words and names only: it leaves this machine. */
export interface Notice {
  readonly kind: NoticeKind;
  /** Null for the server. */
  readonly session: Pick<Session, 'id' | 'name' | 'agent' | 'role'> | null;
  /** One line. */
  readonly message: string;
  readonly atMs: number;
}

type Seen = Pick<Attended, 'session' | 'activity'>;

/** An agent at work is told of only when it gives no sign. */
type Told = ActivityState | 'stale';

const TOLD: Partial<Record<Told, (name: string, activity: Activity) => string>> = {
  'awaiting-approval': (name, { detail }) => `${name} waits for an approval${why(detail)}.`,
  'awaiting-answer': (name, { detail }) => `${name} waits for an answer${why(detail)}.`,
  limited: (name, { untilMs }) =>
    `${name} is at its usage limit${untilMs === undefined ? '' : `, until ${new Date(untilMs).toISOString()}`}.`,
  stale: (name, { sinceMs = 0 }) =>
    `${name} is at work, and has given no sign since ${new Date(sinceMs).toISOString()}.`,
};

/**
 * What waits for a person now and was not told yet. Each state of a session is told once, as long as it
 * lasts.
 */
export class Attention {
  #told = new Map<string, Told>();

  /** @param seen - Sessions that were looked at now; the others are as they were. */
  noticesOf(seen: readonly Seen[], nowMs: number): readonly Notice[] {
    return seen.flatMap(({ session, activity }) => {
      const state = activity.detail === 'stale' ? 'stale' : activity.state;
      const before = this.#told.get(session.launch);
      const say = TOLD[state];
      if (say === undefined || before === state) {
        // A state that cannot be known now may be the one that was told.
        if (state !== 'unknown' && say === undefined) this.#told.delete(session.launch);
        return [];
      }
      this.#told.set(session.launch, state);
      return [noticeOf(state as NoticeKind, session, say(session.name, activity), nowMs)];
    });
  }

  /** Forgets launches that are no more. */
  keep(launches: ReadonlySet<string>): void {
    for (const launch of this.#told.keys()) {
      if (!launches.has(launch)) this.#told.delete(launch);
    }
  }
}

export function noticeOf(
  kind: NoticeKind,
  session: Session | undefined,
  message: string,
  atMs: number,
): Notice {
  const about = session && {
    id: session.id,
    name: session.name,
    agent: session.agent,
    role: session.role,
  };
  return { kind, session: about ?? null, message: plain(message), atMs };
}

function why(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** What a chat shows of it; names of foreign sessions are anybody's. */
const MAX_MESSAGE = 300;
/** They turn the order of what follows on a line. @see https://www.unicode.org/reports/tr9 */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function plain(message: string): string {
  const line = visibleLine(message).replace(BIDI, '');
  return line.length <= MAX_MESSAGE ? line : `${line.slice(0, MAX_MESSAGE)}…`;
}
