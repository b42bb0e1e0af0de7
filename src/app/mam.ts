import type { ActivityState } from '../domain/activity.ts';
import { isMamError, type MamError } from '../domain/errors.ts';
import type { Session } from '../domain/session.ts';
import type { Settings } from '../domain/settings.ts';
import type { FaceReport } from '../ports/registry.ts';
import { answer } from '../services/fleet/answer.ts';
import { type CreateRequest, create } from '../services/fleet/create.ts';
import { type SendRequest, type SentDelivery, send } from '../services/fleet/delivery/send.ts';
import { endEmptyServer } from '../services/fleet/empty-server.ts';
import type { StartReport } from '../services/fleet/first-words.ts';
import { recoverLaunches } from '../services/fleet/launch-recovery.ts';
import type { PurgeReport } from '../services/fleet/purge.ts';
import { type ResumeRequest, resume } from '../services/fleet/resume.ts';
import {
  type FleetStatus,
  fleetStatus,
  getSession,
  lookAfterwards,
  type SessionView,
} from '../services/fleet/status.ts';
import { type StopReport, type StopRequest, stop } from '../services/fleet/stop.ts';
import type { Acted, OnceRequest } from '../services/monitor/once.ts';
import { explainError } from './explain-error.ts';
import { type OpenedFleet, openFleet } from './open-fleet.ts';
import type { OpenOptions } from './surroundings.ts';

export type { FleetStatus, SessionStatusView, SessionView } from '../services/fleet/status.ts';
export type { Acted, PurgeReport, StartReport, StopReport };

/** One of several, each with its own outcome: a failure of one does not end the others. */
export type Outcome<T> =
  | { readonly name: string; readonly report: T; readonly error?: undefined }
  | { readonly name: string; readonly report?: undefined; readonly error: MamError };

/** What the command line can do, as a library. Close it with `await using`. */
export interface Mam extends AsyncDisposable {
  readonly workspace: { readonly root: string; readonly id: string };
  readonly settings: Settings;
  create(request: CreateRequest): Promise<StartReport>;
  /** `all`: every session that is not alive and can be resumed. */
  resume(
    names: readonly string[] | 'all',
    request: ResumeRequest,
  ): Promise<readonly Outcome<StartReport>[]>;
  stop(
    names: readonly string[] | 'all',
    request: StopRequest,
  ): Promise<readonly Outcome<StopReport>[]>;
  send(name: string, request: SendRequest): Promise<SentDelivery>;
  answer(name: string, choice: string): Promise<string>;
  status(name?: string): Promise<FleetStatus>;
  /** Brings registry and tmux into agreement once, or tells what would be done. */
  reconcile(request: OnceRequest): Promise<readonly Acted[]>;
  /** How the sessions of a report stand now, or as they were recorded; throws nothing. */
  viewsOf(sessions: readonly Session[]): Promise<readonly SessionView[]>;
  /** Waits until the activity is `state`. @throws {MamError} `wait.timeout`. */
  waitFor(name: string, state: ActivityState, timeoutMs: number): Promise<FleetStatus>;
}

/**
 * Opens a workspace for work.
 *
 * @throws {MamError} `workspace.*`, `config.invalid`, `registry.*`, `native.missing`.
 */
export async function openMam(options: OpenOptions = {}): Promise<Mam> {
  return new FleetMam(await openFleet(options));
}

class FleetMam implements Mam {
  readonly #fleet: OpenedFleet;
  #closed = false;

  constructor(fleet: OpenedFleet) {
    this.#fleet = fleet;
  }

  get workspace() {
    const { root, id } = this.#fleet.context.workspace;
    return { root, id };
  }

  get settings(): Settings {
    return this.#fleet.context.settings;
  }

  create(request: CreateRequest): Promise<StartReport> {
    return this.#changing((context) => create(context, request));
  }

  resume(names: readonly string[] | 'all', request: ResumeRequest) {
    return this.#changing(async (context) => {
      await recoverLaunches(context);
      const wanted = names === 'all' ? await this.#resumableNames() : names;
      return this.#each(wanted, (session) => resume(context, session, request));
    });
  }

  stop(names: readonly string[] | 'all', request: StopRequest) {
    const { face } = this.#fleet;
    const writeFace = () => (request.purge ? face.writeAndForget() : face.write());
    return this.#changing(async (context) => {
      await recoverLaunches(context);
      const wanted = names === 'all' ? await this.#namesToStop(request) : names;
      const outcomes = await this.#each(wanted, (session) => stop(context, session, request));
      // One that a killed command left is nobody's.
      if (names === 'all') await endEmptyServer(context);
      return outcomes;
    }, writeFace);
  }

  send(name: string, request: SendRequest): Promise<SentDelivery> {
    return this.#changing(async (context) => {
      await recoverLaunches(context);
      return send(context, getSession(context, name), request);
    });
  }

  answer(name: string, choice: string): Promise<string> {
    return this.#changing(async (context) => {
      await recoverLaunches(context);
      return answer(context, getSession(context, name), choice);
    });
  }

  status(name?: string): Promise<FleetStatus> {
    return fleetStatus(this.#fleet.context, name);
  }

  viewsOf(sessions: readonly Session[]): Promise<readonly SessionView[]> {
    return lookAfterwards(this.#fleet.context, sessions);
  }

  async reconcile(request: OnceRequest): Promise<readonly Acted[]> {
    const { reconcileOnce } = await import('../services/monitor/once.ts');
    const { fleetCare } = await import('../services/fleet/care/care.ts');
    const { context } = this.#fleet;
    const own = { ...context, care: fleetCare(context) };
    return request.dryRun
      ? reconcileOnce(own, request)
      : this.#changing(() => reconcileOnce(own, request));
  }

  async waitFor(name: string, state: ActivityState, timeoutMs: number): Promise<FleetStatus> {
    const { waitForActivity } = await import('../services/fleet/wait.ts');
    const { context } = this.#fleet;
    return waitForActivity(context, name, { until: state, timeoutMs, signal: context.signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#fleet[Symbol.dispose]();
  }

  /** The face is written after every change, whether it succeeded or not. */
  async #changing<T>(
    fn: (context: OpenedFleet['context']) => Promise<T>,
    writeFace = () => this.#fleet.face.write(),
  ): Promise<T> {
    try {
      return await fn(this.#fleet.context);
    } finally {
      await this.#keepFace(writeFace);
    }
  }

  /** The commit was the acknowledgement: a face that cannot be written is a warning. */
  async #keepFace(write: () => Promise<FaceReport>): Promise<void> {
    const { logger } = this.#fleet.context;
    try {
      const { setAside } = await write();
      if (setAside) {
        logger.warn(`agent-sessions.yaml was set aside as ${setAside.path}: ${setAside.reason}.`);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn(`agent-sessions.yaml could not be written: ${reason}; the registry itself is.`);
    }
  }

  async #each<T>(
    names: readonly string[],
    fn: (session: Session) => Promise<T>,
  ): Promise<readonly Outcome<T>[]> {
    const outcomes: Outcome<T>[] = [];
    for (const name of names) {
      // Ctrl-C ends the whole command: the next ones are not begun.
      this.#fleet.context.signal.throwIfAborted();
      try {
        const session = getSession(this.#fleet.context, name);
        outcomes.push({ name, report: await fn(session) });
      } catch (error) {
        if (isMamError(error, 'interrupted')) throw error;
        // One that is a bug does not hide what became of the others.
        outcomes.push({ name, error: explainError(error) });
      }
    }
    return outcomes;
  }

  /**
   * What runs; and, unless conversations are purged, what ended by itself since a person last spoke of it: its
   * pane is kept to be looked at, or a policy would bring it back.
   */
  async #namesToStop({ purge }: StopRequest): Promise<readonly string[]> {
    const { context } = this.#fleet;
    const look = await context.multiplexer.look([]);
    const kept = new Set(look.server === 'up' ? look.panes.map(({ launchTag }) => launchTag) : []);
    const isLeft = ({ status, ended, launch }: Session) =>
      kept.has(launch) || (status === 'terminated' && ended !== null && ended.by !== 'user');
    return context
      .readRegistry((reader) => reader.sessions())
      .filter((session) => session.status === 'running' || (!purge && isLeft(session)))
      .map(({ name }) => name);
  }

  async #resumableNames(): Promise<readonly string[]> {
    const { sessions } = await this.status();
    return sessions
      .filter(({ session, observation: { agentAlive, server, isRemote } }) => {
        // An agent whose terminal went with the server is on its way out.
        return session.resumable && !isRemote && (!agentAlive || server === 'gone');
      })
      .map(({ session }) => session.name);
  }
}
