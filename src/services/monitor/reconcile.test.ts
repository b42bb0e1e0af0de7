import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleObservation } from '../../../test/support/example-observation.ts';
import { exampleSession } from '../../../test/support/example-session.ts';
import type { Finding, SeenSession, Stranger, World } from '../../ports/fleet-care.ts';
import type { Observation } from '../fleet/observe.ts';
import { reconcile } from './reconcile.ts';

const quiet: World = {
  isFirstLook: false,
  server: 'up',
  serverPid: 7,
  sessions: [],
  strangers: [],
  leftovers: [],
  mayAdopt: true,
};

function seenSession(
  change: Partial<Observation> = {},
  more: Partial<Omit<SeenSession, 'seen'>> = {},
): SeenSession {
  const seen = exampleObservation(change);
  return {
    seen,
    isHeld: false,
    endsAs: seen.exit?.status === 0 ? 'stopped' : 'terminated',
    otherLaunch: null,
    wasLifeless: false,
    conversation: 'unknown',
    movedTo: null,
    ...more,
  };
}

const find = (...sessions: readonly SeenSession[]) =>
  reconcile({ ...quiet, sessions }).map(({ drift, action }) => [drift, action]);

const dead = { agentAlive: false, pane: undefined } as const;
const ended = (status: number) => ({ ...dead, exit: { status, atMs: 1, hungUp: false } });

describe('reconcile', () => {
  it('finds nothing where nothing differs', () => {
    expect(find(seenSession())).toEqual([]);
  });

  it('knows an end by its record at once: A', () => {
    expect(find(seenSession(ended(0)))).toEqual([['A', 'mark-stopped']]);
    expect(find(seenSession(ended(3)))).toEqual([['A', 'mark-terminated']]);
    const kept = { ...ended(3), pane: exampleObservation().pane };
    expect(reconcile({ ...quiet, sessions: [seenSession(kept)] })[0]).toMatchObject({
      reason: 'The agent ended with status 3.',
      evidence: ['exit record: status 3', 'its pane is kept'],
    });
  });

  it('waits for a second look where no record says how it ended', () => {
    expect(find(seenSession(dead))).toEqual([]);
    expect(find(seenSession(dead, { wasLifeless: true }))).toEqual([['A', 'mark-terminated']]);
  });

  it('leaves a start alone that has a pane, and ends one that has nothing', () => {
    const starting = { agent: undefined, agentAlive: false };
    expect(find(seenSession(starting, { wasLifeless: true }))).toEqual([]);
    const nothing = { ...starting, pane: undefined };
    expect(find(seenSession(nothing))).toEqual([]);
    expect(find(seenSession(nothing, { wasLifeless: true }))).toEqual([['A', 'mark-terminated']]);
  });

  it('tells of an agent without its terminal, and does nothing to it', () => {
    expect(find(seenSession({ pane: undefined }))).toEqual([['terminal-lost', 'none']]);
  });

  it('judges nothing that is held, remote or does not run', () => {
    const over = { ...ended(3) };
    expect(find(seenSession(over, { isHeld: true }))).toEqual([]);
    expect(find(seenSession({ ...over, isRemote: true }))).toEqual([]);
    expect(
      find(seenSession({ ...over, session: exampleSession('a', { status: 'stopped' }) })),
    ).toEqual([]);
  });

  it('follows its conversation, and misses one: C and D', () => {
    expect(find(seenSession({}, { movedTo: 'other' }))).toEqual([['C', 'record-conversation']]);
    const prompted = { session: exampleSession('a', { prompted: true }) };
    expect(find(seenSession(prompted, { conversation: 'missing' }))).toEqual([['D', 'none']]);
    expect(find(seenSession({}, { conversation: 'missing' }))).toEqual([]);
  });

  it.each(['gone', 'unreachable'] as const)(
    'makes one finding of a server that is %s, and no deaths',
    (server) => {
      const sessions = ['a', 'b', 'c'].map((name) =>
        seenSession({ ...dead, server, session: exampleSession(name) }, { wasLifeless: true }),
      );
      const [only, ...rest] = reconcile({ ...quiet, server, sessions });
      expect(rest).toEqual([]);
      expect(only).toMatchObject({ drift: `server-${server}`, session: null, action: 'none' });
      expect(only?.evidence).toEqual(['session a', 'session b', 'session c']);
      expect(only?.reason).toContain(server === 'gone' ? 'mam resume --all' : 'kill -USR1 7 makes');
    },
  );

  it('adopts what it recognises, each name once, and only tells of the rest: B', () => {
    const proposal = { name: 'api', agent: 'claude', role: 'creator' };
    const strangers: readonly Stranger[] = [
      { paneId: '%1', tmuxName: 'claude-creator-api', proposal, commands: ['claude'] },
      { paneId: '%2', tmuxName: 'again', proposal, commands: ['claude'] },
      { paneId: '%3', tmuxName: 'mine', proposal: 'no agent', commands: ['vim'] },
    ];
    expect(reconcile({ ...quiet, strangers }).map(({ drift, action }) => [drift, action])).toEqual([
      ['B', 'adopt'],
      ['B', 'none'],
      ['B', 'none'],
    ]);
    const untaken = reconcile({ ...quiet, strangers, mayAdopt: false });
    expect(untaken.map(({ action }) => action)).toEqual(['none', 'none', 'none']);
    expect(untaken[0]?.reason).toContain('policies.adopt is false');
  });

  it('does nothing by a first look', () => {
    const world: World = { ...quiet, isFirstLook: true, sessions: [seenSession(ended(3))] };
    expect(reconcile(world)[0]).toMatchObject({
      drift: 'A',
      action: 'none',
      evidence: expect.arrayContaining(['first look: nothing is done yet']),
    });
  });

  const anySession: fc.Arbitrary<SeenSession> = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      status: fc.constantFrom('running', 'stopped', 'terminated'),
      exit: fc.option(fc.integer({ min: 0, max: 255 }), { nil: undefined }),
      hasAgent: fc.boolean(),
      isAlive: fc.boolean(),
      hasPane: fc.boolean(),
      isRemote: fc.boolean(),
      prompted: fc.boolean(),
      isHeld: fc.boolean(),
      wasLifeless: fc.boolean(),
      conversation: fc.constantFrom('present', 'missing', 'unknown'),
      movedTo: fc.constantFrom(null, 'x', 'y'),
      conversationId: fc.constantFrom(null, 'x', 'z'),
    })
    .map((drawn) =>
      seenSession(
        {
          session: exampleSession(drawn.name, {
            ...{ status: drawn.status, prompted: drawn.prompted },
            conversationId: drawn.conversationId,
          }),
          exit:
            drawn.exit === undefined ? undefined : { status: drawn.exit, atMs: 1, hungUp: false },
          agent: drawn.hasAgent ? { pid: 11, startTicks: '1' } : undefined,
          agentAlive: drawn.hasAgent && drawn.isAlive,
          pane: drawn.hasPane ? exampleObservation().pane : undefined,
          isRemote: drawn.isRemote,
        },
        drawn,
      ),
    );
  const anyWorld: fc.Arbitrary<World> = fc.record({
    mayAdopt: fc.boolean(),
    isFirstLook: fc.boolean(),
    server: fc.constantFrom('up', 'none', 'gone', 'unreachable'),
    serverPid: fc.option(fc.nat()),
    sessions: fc.uniqueArray(anySession, { selector: ({ seen }) => seen.session.name }),
    strangers: fc.array(
      fc.record({
        paneId: fc.constantFrom('%1', '%2', '%3'),
        tmuxName: fc.string(),
        proposal: fc.option(
          fc.record({
            name: fc.constantFrom('n1', 'n2'),
            agent: fc.constant('claude'),
            role: fc.constant('creator'),
          }),
          { nil: 'no agent' },
        ),
        commands: fc.array(fc.string(), { maxLength: 2 }),
      }),
      { maxLength: 4 },
    ),
    leftovers: fc.array(
      fc.record({
        session: fc.string(),
        sessionId: fc.string(),
        launch: fc.string(),
        pids: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
  });

  it('gives the same findings for the same world, changes nothing of it, and none to who is not ours', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const before = structuredClone(world);
        const findings = reconcile(world);
        expect(reconcile(world)).toEqual(findings);
        expect(world).toEqual(before);
        const judged = new Map(world.sessions.map((each) => [each.seen.session.id, each]));
        for (const { drift, target } of findings) {
          if (drift === 'orphans' || target.kind !== 'session') continue;
          const each = judged.get(target.sessionId);
          expect(each?.isHeld).toBe(false);
          expect(each?.seen.isRemote).toBe(false);
          expect(each?.seen.session.status).toBe('running');
          expect(target.launch).toBe(each?.seen.session.launch);
        }
        const living = ({ drift, session }: Finding) =>
          drift === 'A' &&
          world.sessions.some(({ seen }) => seen.session.name === session && seen.agentAlive);
        expect(findings.filter(living)).toEqual([]);
        const acted = findings.filter(({ action }) => action !== 'none');
        if (world.isFirstLook) expect(acted).toEqual([]);
      }),
    );
  });

  it('makes no two records of one name, one pane or one conversation', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const acted = (action: Finding['action']) =>
          reconcile(world).filter((finding) => finding.action === action);
        const names = acted('adopt').map(({ session }) => session);
        expect(names).toEqual([...new Set(names)]);
        const panes = acted('adopt').map(({ target }) => target.kind === 'pane' && target.paneId);
        expect(panes).toEqual([...new Set(panes)]);
        const moves = acted('record-conversation').map(({ session }) => {
          const each = world.sessions.find(({ seen }) => seen.session.name === session);
          return each?.movedTo;
        });
        expect(moves).toEqual([...new Set(moves)]);
        const owned = world.sessions.map(({ seen }) => seen.session.conversationId);
        expect(moves.filter((id) => owned.includes(id ?? null))).toEqual([]);
      }),
    );
  });

  it('ends processes of sessions that have ended only, and changes nothing where nothing is known', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        for (const { action, target } of reconcile(world)) {
          if (action === 'reap') {
            expect(
              world.leftovers.map(({ sessionId, launch }) => ({
                kind: 'session',
                sessionId,
                launch,
              })),
            ).toContainEqual(target);
          } else if (world.server === 'gone' || world.server === 'unreachable') {
            expect(action).toBe('none');
          }
        }
      }),
    );
  });

  it('finds nothing more to do in a world where it was done', () => {
    fc.assert(
      fc.property(anyWorld, (drawn) => {
        const world = { ...drawn, isFirstLook: false };
        const findings = reconcile(world);
        const next = worldAfter(world, findings);
        const again = reconcile(next).filter(
          ({ action }) => action !== 'none' && action !== 'reap',
        );
        expect(again).toEqual([]);
      }),
    );
  });
});

/** What `act` makes of a world: what was marked runs no longer, what was adopted is recorded. */
function worldAfter(world: World, findings: readonly Finding[]): World {
  const done = new Map(
    findings.flatMap(({ action, target }) =>
      action === 'none' || target.kind === 'server'
        ? []
        : [[target.kind === 'pane' ? target.paneId : target.sessionId, action] as const],
    ),
  );
  const adopted = findings.flatMap(({ action, session }) => (action === 'adopt' ? [session] : []));
  const sessions = world.sessions.flatMap((each) => {
    const action = done.get(each.seen.session.id);
    if (action === 'mark-stopped' || action === 'mark-terminated') return [];
    if (action !== 'record-conversation') return [each];
    const session = { ...each.seen.session, conversationId: each.movedTo };
    return [{ ...each, movedTo: null, seen: { ...each.seen, session } }];
  });
  const isTaken = (proposal: Stranger['proposal']) =>
    typeof proposal !== 'string' && adopted.includes(proposal.name);
  const strangers = world.strangers
    .filter(({ paneId }) => done.get(paneId) !== 'adopt')
    .map((each) => (isTaken(each.proposal) ? { ...each, proposal: 'the name is taken' } : each));
  return { ...world, sessions, strangers };
}
