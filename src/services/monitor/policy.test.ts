import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleObservation } from '../../../test/support/example-observation.ts';
import { exampleSession } from '../../../test/support/example-session.ts';
import { ulid } from '../../base/ulid.ts';
import type { Launch } from '../../domain/launch.ts';
import type { Session } from '../../domain/session.ts';
import { defaultSettings } from '../../domain/settings.ts';
import type { SeenSession, World } from '../../ports/fleet-care.ts';
import { BRAKE_WINDOW_MS, type PolicyView, resumesDue } from './policy.ts';

const NOW = 1_800_000_000_000;
const self = { host: '00000000', boot: 'boot', pidNamespace: 'pid:[1]' };

const world: World = {
  ...{ isFirstLook: false, server: 'up', serverPid: null, sessions: [] },
  ...{ strangers: [], leftovers: [] },
  mayAdopt: true,
};

function crashed(agoMs: number, change: Partial<Session> = {}): Session {
  const at = new Date(NOW - agoMs).toISOString();
  const ended = { reason: 'The agent ended with status 137.', exitCode: 137, at, by: 'monitor' };
  return exampleSession('a', { status: 'terminated', ended, ...change } as Partial<Session>);
}

const resumed = (agoMs: number) =>
  ({ kind: 'resume', id: ulid(NOW - agoMs), state: 'ended' }) as Launch;

function due(
  sessions: readonly Session[],
  {
    launches = [],
    policies = {},
    ...more
  }: Partial<Omit<PolicyView, 'policies'>> & {
    readonly launches?: readonly Launch[];
    readonly policies?: Partial<PolicyView['policies']>;
  } = {},
) {
  return resumesDue({
    policies: { ...defaultSettings.policies, autoResume: true, ...policies },
    ...{ world, sessions, self, nowMs: NOW, isStart: false },
    launchesOf: () => launches,
    ...more,
  }).map(({ session, why, verdict }) => [session.name, why, verdict]);
}

describe('resumesDue after a crash', () => {
  it('brings back what ended by itself and the monitor found', () => {
    expect(due([crashed(1_000)])).toEqual([['a', 'crash', 'resume']]);
  });

  it.each<[string, Session]>([
    ['what somebody stopped', exampleSession('a', { status: 'stopped' })],
    ['what runs', exampleSession('a')],
    ['what a command found', crashed(1, { ended: { ...endedBy('user') } })],
    ['what crashed long ago', crashed(11 * 60_000)],
    ['what was purged', crashed(1, { resumable: false })],
    ['what was started by hand', crashed(1, { adopted: true })],
    ['what ran on another host', crashed(1, { host: '99999999' })],
  ])('leaves %s', (_, session) => {
    expect(due([session])).toEqual([]);
  });

  it('leaves what somebody is bringing back', () => {
    const reserved = { ...resumed(1), state: 'reserved' } as Launch;
    expect(due([crashed(10_000)], { launches: [reserved] })).toEqual([]);
  });

  it('does nothing when it is off, nor by a first look', () => {
    expect(due([crashed(1)], { policies: { autoResume: false } })).toEqual([]);
    expect(due([crashed(1)], { world: { ...world, isFirstLook: true } })).toEqual([]);
  });

  it('waits longer after each resume, and not at all any more after too many', () => {
    const one = [resumed(60_000)];
    expect(due([crashed(4_999)], { launches: one })).toEqual([]);
    expect(due([crashed(5_000)], { launches: one })).toEqual([['a', 'crash', 'resume']]);
    const two = [...one, resumed(70_000)];
    expect(due([crashed(19_999)], { launches: two })).toEqual([]);
    expect(due([crashed(20_000)], { launches: two })).toEqual([['a', 'crash', 'resume']]);
    const three = [...two, resumed(80_000)];
    expect(due([crashed(1)], { launches: three })).toEqual([['a', 'crash', 'braked']]);
    const old = three.map(() => resumed(BRAKE_WINDOW_MS + 1));
    expect(due([crashed(1)], { launches: old })).toEqual([['a', 'crash', 'resume']]);
  });
});

describe('resumesDue after the server went away', () => {
  const lost = (change: Partial<SeenSession> = {}, session = exampleSession('a')): SeenSession => ({
    seen: exampleObservation({ session, agentAlive: false, pane: undefined, server: 'gone' }),
    ...{ isHeld: false, endsAs: 'terminated', otherLaunch: null, wasLifeless: true },
    ...{ conversation: 'unknown', movedTo: null },
    ...change,
  });
  const gone = (...sessions: SeenSession[]) =>
    ({ world: { ...world, server: 'gone', sessions } }) as const;

  it('is a matter of its own setting at the start of the monitor', () => {
    const atStart = { ...gone(lost()), isStart: true };
    expect(due([], atStart)).toEqual([]);
    expect(due([], { ...atStart, policies: { resumeAtStart: true, autoResume: false } })).toEqual([
      ['a', 'start', 'resume'],
    ]);
    expect(due([], gone(lost()))).toEqual([['a', 'server', 'resume']]);
    expect(
      due([], { ...gone(lost()), policies: { autoResume: false, resumeAtStart: true } }),
    ).toEqual([]);
  });

  it('leaves what somebody is at, what lives, and what runs elsewhere', () => {
    const living = lost();
    const there = lost();
    const seen = [
      lost({ isHeld: true }),
      { ...living, seen: { ...living.seen, agentAlive: true } },
      { ...there, seen: { ...there.seen, isRemote: true } },
    ];
    expect(due([], gone(...seen))).toEqual([]);
  });
});

describe('the brake', () => {
  it('holds whatever crashes how often: never more resumes in an hour than it allows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 900_000 }), { maxLength: 60 }),
        (autoResumeMax, pauses) => {
          const launches: Launch[] = [];
          let nowMs = NOW;
          for (const pauseMs of pauses) {
            const ended = { ...endedBy('monitor'), at: new Date(nowMs).toISOString() };
            nowMs += pauseMs;
            const session = exampleSession('a', { status: 'terminated', ended });
            const options = { launches, nowMs, policies: { autoResumeMax } };
            const [first] = due([session], options);
            if (first?.[2] === 'resume') {
              launches.push({ kind: 'resume', id: ulid(nowMs), state: 'ended' } as Launch);
            }
          }
          const times = launches.map((_, at) => at);
          const within = times.map(
            (at) =>
              launches.slice(0, at + 1).filter(({ id }) => isWithin(id, launches[at]?.id)).length,
          );
          expect(Math.max(0, ...within)).toBeLessThanOrEqual(autoResumeMax);
        },
      ),
    );
  });
});

function isWithin(id: string, last: string | undefined): boolean {
  const time = (each: string) => Number.parseInt(each.slice(0, 10).replace(/./g, toBase32), 32);
  return time(last ?? id) - time(id) < BRAKE_WINDOW_MS;
}

/** Crockford's digits as those of `parseInt`. */
function toBase32(digit: string): string {
  return '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit).toString(32);
}

function endedBy(by: 'user' | 'monitor') {
  return { reason: 'x', exitCode: 1, at: new Date(NOW - 1).toISOString(), by };
}
