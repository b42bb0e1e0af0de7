import { isOwnerAlive } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import type { FleetContext } from '../fleet/context.ts';
import { conversationExists } from '../fleet/conversations.ts';
import { LaunchProcesses } from '../fleet/launch-processes.ts';
import { launchFolder } from '../fleet/launch-records.ts';
import { type Life, observeLives } from '../fleet/life.ts';
import { endStatus, wasAskedToEnd } from '../fleet/session-end.ts';
import { pendingMove } from '../fleet/spool.ts';
import { recognise } from './recognise.ts';
import type { Leftover, SeenSession, Stranger, World } from './world.ts';

export interface SurveyRequest {
  readonly isFirstLook: boolean;
  /** Also reads what costs more: the agents' stores, and every process's environment. */
  readonly isThorough: boolean;
}

/**
 * Looks at the whole fleet, again and again. It remembers one thing from look to look: in which launches
 * there was no life. Changes nothing.
 */
export class Survey {
  readonly #context: FleetContext;
  #lifeless: ReadonlySet<string> = new Set();

  constructor(context: FleetContext) {
    this.#context = context;
  }

  async look({ isFirstLook, isThorough }: SurveyRequest): Promise<World> {
    const sessions = this.#context.readRegistry((reader) => reader.sessions());
    const running = sessions.filter(({ status }) => status === 'running');
    const { lives, server, panes } = await observeLives(this.#context, running);
    const seen = lives.map((each) => this.#seenSession(each, isThorough));
    this.#lifeless = new Set(
      lives.flatMap(({ agentAlive, session }) => (agentAlive ? [] : [session.launch])),
    );
    return {
      isFirstLook,
      server,
      sessions: seen,
      strangers: await this.#strangers([...panes.values()], sessions),
      leftovers: isThorough ? this.#leftovers(sessions) : [],
    };
  }

  #seenSession(seen: Life, isThorough: boolean): SeenSession {
    const context = this.#context;
    const { session, exit, agentAlive } = seen;
    const { processes, clock } = context;
    const { operation, launch } = context.readRegistry((reader) => ({
      operation: reader.findOperation(session.id),
      launch: agentAlive ? undefined : reader.findLaunch(session.launch),
    }));
    const isHeld =
      operation !== undefined &&
      isOwnerAlive(operation.owner, operation.deadlineMs, processes, clock.nowMs());
    const wasAsked =
      !agentAlive && wasAskedToEnd(context.files, launchFolder(context, session.launch));
    return {
      seen,
      isHeld,
      endsAs: endStatus(launch, { exit, wasAsked }),
      wasLifeless: this.#lifeless.has(session.launch),
      conversation: isThorough ? this.#conversation(session) : 'unknown',
      movedTo: isThorough ? (pendingMove(context, session) ?? null) : null,
    };
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
    const isKnown = ({ launchTag }: PaneLook) =>
      launchTag !== '' &&
      (launches.has(launchTag) ||
        context.readRegistry((reader) => reader.findLaunch(launchTag)) !== undefined);
    const first = new Map<string, PaneLook>();
    for (const pane of panes) {
      if (!first.has(pane.sessionId) && !pane.dead && !isKnown(pane))
        first.set(pane.sessionId, pane);
    }
    return Promise.all([...first.values()].map((pane) => recognise(context, pane, sessions)));
  }

  /** Every agent's processes carry their launch: one pass over all environments finds those left. */
  #leftovers(sessions: readonly Session[]): readonly Leftover[] {
    const context = this.#context;
    const ended = new Map(
      sessions.filter(({ status }) => status !== 'running').map((each) => [each.launch, each]),
    );
    if (ended.size === 0) return [];
    const launches = new Set(context.processes.environmentValues('MAM_LAUNCH').values());
    return [...launches].flatMap((launch) => {
      const session = ended.get(launch);
      if (!session) return [];
      const { members } = new LaunchProcesses(context, session).look();
      const pids = members.map(({ pid }) => pid);
      const { id: sessionId, name } = session;
      return pids.length === 0 ? [] : [{ session: name, sessionId, launch, pids }];
    });
  }
}
