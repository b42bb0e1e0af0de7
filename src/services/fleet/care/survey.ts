import type { ProcessIdentity } from '../../../domain/owner.ts';
import type { Session } from '../../../domain/session.ts';
import type {
  FleetSurvey,
  Leftover,
  Life,
  SeenSession,
  Stranger,
  SurveyRequest,
  World,
} from '../../../ports/fleet-care.ts';
import type { PaneLook } from '../../../ports/multiplexer.ts';
import type { FleetContext } from '../context.ts';
import { pendingMove } from '../conversation-move.ts';
import { conversationExists } from '../conversations.ts';
import { readExit, readIdentityFile } from '../launch-folder.ts';
import { LaunchProcesses } from '../launch-processes.ts';
import { launchFolder } from '../launch-records.ts';
import { observeLives } from '../life.ts';
import { isOperationHeld } from '../operations.ts';
import { livingServer } from '../server-reach.ts';
import { endStatus, wasAskedToEnd } from '../session-end.ts';
import { recognise } from './recognise.ts';

/** How long a stranger that is left alone is taken for what it was. Milliseconds. */
const STRANGER_MS = 5_000;
/** How long a recorder that lives may take to write down how its agent ended. Milliseconds. */
const RECORD_MS = 2_000;

/**
 * Looks at the whole fleet, again and again. It remembers two things from look to look: since when there is
 * no life in which launches, and what ended sessions had left. Changes nothing.
 */
export class Survey implements FleetSurvey {
  readonly #context: FleetContext;
  /** By launch; monotonic milliseconds. */
  #lifelessSince: ReadonlyMap<string, number> = new Map();
  /** Processes that ended sessions had left at the last thorough look. */
  #left: ReadonlySet<number> = new Set();
  #strangersKnown = new Map<string, { readonly stranger: Stranger; readonly atMs: number }>();
  /** Of this revision of the registry; nearly always nothing has changed since. */
  #known: { readonly revision: number; readonly sessions: readonly Session[] } | undefined;

  constructor(context: FleetContext) {
    this.#context = context;
  }

  async look({ isFirstLook, isThorough }: SurveyRequest): Promise<World> {
    const sessions = this.#readSessions();
    const running = sessions.filter(({ status }) => status === 'running');
    // Before it is asked: a server that is just ending takes the file away and answers no more.
    const hasSocket = this.#hasSocket();
    await this.#context.adapters.load(running.map(({ agent }) => agent));
    const { lives, server, panes } = await observeLives(this.#context, running);
    // Over a standing connection it answers, and no command reaches it; one that has just begun made it since.
    const reached = server === 'up' && !hasSocket && !this.#hasSocket() ? 'unreachable' : server;
    const held = this.#heldSessions();
    const others = otherLaunches(lives, panes);
    const seen = lives.map((each) => ({
      ...this.#seenSession(each, held, isThorough),
      otherLaunch: others.get(each.session.id) ?? null,
    }));
    const nowMs = this.#context.clock.monotonicMs();
    this.#lifelessSince = new Map(
      lives
        .filter(({ agentAlive }) => !agentAlive)
        .map(({ session: { launch } }) => [launch, this.#lifelessSince.get(launch) ?? nowMs]),
    );
    return {
      isFirstLook,
      server: reached,
      serverPid: reached === 'up' ? null : (livingServer(this.#context)?.process.pid ?? null),
      sessions: seen,
      strangers: await this.#strangers([...panes.values()], sessions),
      leftovers: isThorough ? this.#leftovers(sessions) : [],
      mayAdopt: this.#context.settings.policies.adopt,
    };
  }

  /** The file by which commands reach the server. */
  #hasSocket(): boolean {
    const { files, multiplexer } = this.#context;
    return files.stat(multiplexer.socket)?.kind === 'other';
  }

  #seenSession(
    seen: Life,
    held: ReadonlySet<string>,
    isThorough: boolean,
  ): Omit<SeenSession, 'otherLaunch'> {
    const context = this.#context;
    const { session, exit, agentAlive } = seen;
    const launch = agentAlive
      ? undefined
      : context.readRegistry((reader) => reader.findLaunch(session.launch));
    const wasAsked =
      !agentAlive && wasAskedToEnd(context.files, launchFolder(context, session.launch));
    return {
      seen,
      isHeld: held.has(session.id),
      endsAs: endStatus(launch, { exit, wasAsked }),
      wasLifeless: this.#wasLifeless(seen),
      conversation: isThorough ? this.#conversation(session) : 'unknown',
      movedTo: isThorough ? (pendingMove(context, session) ?? null) : null,
    };
  }

  /** Not while its end is still being written down: without the record nobody would know how it ended. */
  #wasLifeless({ session, exit }: Life): boolean {
    const { files, processes, clock } = this.#context;
    const sinceMs = this.#lifelessSince.get(session.launch);
    if (sinceMs === undefined) return false;
    if (exit) return true;
    const folder = launchFolder(this.#context, session.launch);
    const recorder = readIdentityFile(files, `${folder}/inner`);
    const isWriting = recorder !== undefined && processes.isAlive(recorder);
    if (isWriting && clock.monotonicMs() - sinceMs <= RECORD_MS) return false;
    // It may have written it down, and ended, since this life was looked at: the next look has it.
    return readExit(files, folder) === undefined;
  }

  #readSessions(): readonly Session[] {
    this.#known = this.#context.readRegistry((reader) => {
      const revision = reader.revision();
      return this.#known?.revision === revision
        ? this.#known
        : { revision, sessions: reader.sessions() };
    });
    return this.#known.sessions;
  }

  /** Those that a living command is at. */
  #heldSessions(): ReadonlySet<string> {
    const operations = this.#context.readRegistry((reader) => reader.operations());
    const alive = operations.filter((each) => isOperationHeld(this.#context, each));
    return new Set(alive.map(({ sessionId }) => sessionId));
  }

  #conversation(session: Session): SeenSession['conversation'] {
    const context = this.#context;
    const { conversationId } = session;
    if (conversationId === null) return 'unknown';
    const adapter = context.adapters.get(session.agent);
    return conversationExists(context, adapter, session, conversationId) ? 'present' : 'missing';
  }

  /** One pane for each tmux session that no row of ours stands for; a person may have split it. */
  async #strangers(
    panes: readonly PaneLook[],
    sessions: readonly Session[],
  ): Promise<readonly Stranger[]> {
    const context = this.#context;
    const launches = new Set(sessions.map(({ launch }) => launch));
    const ids = new Set(sessions.map(({ id }) => id));
    const isKnown = ({ launchTag, sessionTag }: PaneLook) =>
      launchTag !== '' &&
      (ids.has(sessionTag) ||
        launches.has(launchTag) ||
        context.readRegistry((reader) => reader.findLaunch(launchTag)) !== undefined);
    const first = new Map<string, PaneLook>();
    for (const pane of panes) {
      if (!first.has(pane.sessionId) && !pane.dead && !isKnown(pane))
        first.set(pane.sessionId, pane);
    }
    const known = this.#strangersKnown;
    this.#strangersKnown = new Map();
    if (first.size === 0) return [];
    const nowMs = context.clock.monotonicMs();
    // A person's shell is looked into now and then only: it takes every process of the machine.
    const all = lazily(() => context.processes.list());
    return Promise.all(
      [...first.values()].map(async (pane) => {
        const key = `${pane.paneId} ${pane.panePid} ${pane.sessionName} ${pane.launchTag}`;
        const before = known.get(key);
        const isFresh = before !== undefined && nowMs - before.atMs < STRANGER_MS;
        // One that is to be recorded is recorded now.
        const seen = isFresh && typeof before.stranger.proposal === 'string' ? before : undefined;
        const stranger =
          seen?.stranger ?? (await recognise(context, pane, { all: all(), sessions }));
        this.#strangersKnown.set(key, seen ?? { stranger, atMs: nowMs });
        return stranger;
      }),
    );
  }

  /**
   * Every agent's processes carry their launch: one pass over all environments finds those left. Only what
   * the look before has seen as well: a process may be just ending.
   */
  #leftovers(sessions: readonly Session[]): readonly Leftover[] {
    const context = this.#context;
    const ended = new Map(
      sessions.filter(({ status }) => status !== 'running').map((each) => [each.launch, each]),
    );
    const seen = ended.size === 0 ? [] : context.processes.environmentValues('MAM_LAUNCH').values();
    const found = [...new Set(seen)].flatMap((launch) => {
      const session = ended.get(launch);
      if (!session) return [];
      const { members } = new LaunchProcesses(context, session).look();
      return [{ session: session.name, sessionId: session.id, launch, pids: pidsOf(members) }];
    });
    const before = this.#left;
    this.#left = new Set(found.flatMap(({ pids }) => pids));
    return found
      .map((each) => ({ ...each, pids: each.pids.filter((pid) => before.has(pid)) }))
      .filter(({ pids }) => pids.length > 0);
  }
}

/** Panes that carry a running session's id and another launch than the recorded one, by session. */
function otherLaunches(
  lives: readonly Life[],
  panes: ReadonlyMap<string, PaneLook>,
): ReadonlyMap<string, string> {
  const recorded = new Map(lives.map(({ session }) => [session.id, session.launch]));
  const found = [...panes.values()].filter(
    ({ sessionTag, launchTag, dead }) =>
      !dead && recorded.has(sessionTag) && recorded.get(sessionTag) !== launchTag,
  );
  return new Map(found.map(({ sessionTag, launchTag }) => [sessionTag, launchTag]));
}

function pidsOf(processes: readonly ProcessIdentity[]): readonly number[] {
  return processes.map(({ pid }) => pid);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
