import { availableParallelism } from 'node:os';
import { Lanes } from '../base/lanes.ts';
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
import { resumeWhenLimitLifts } from '../services/fleet/limit-lift.ts';
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

export interface ResumeManyRequest extends ResumeRequest {
  /** Goes on with what is at a usage limit when that has lifted; waits until then. */
  readonly whenLimitLifts?: boolean;
}

/** What the command line can do, as a library. Close it with `await using`. */
export interface Mam extends AsyncDisposable {
  readonly workspace: { readonly root: string; readonly id: string };
  readonly settings: Settings;
  create(request: CreateRequest): Promise<StartReport>;
  /**
   * `all`: every session that is not alive and can be resumed, some at a time.
   *
   * @param onDone - Told of each when it is known what became of it; in the order of that.
   */
  resume(
    names: readonly string[] | 'all',
    request: ResumeManyRequest,
    onDone?: (outcome: Outcome<StartReport>, done: number, of: number) => void,
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

  resume(
    names: readonly string[] | 'all',
    request: ResumeManyRequest,
    onDone: (outcome: Outcome<StartReport>, done: number, of: number) => void = () => undefined,
  ) {
    const { whenLimitLifts, ...one } = request;
    return this.#changing(async (context) => {
      await recoverLaunches(context);
      const wanted = names === 'all' ? await this.#resumableNames() : names;
      // Who waits for a limit does nothing else meanwhile.
      const lanes = new Lanes(whenLimitLifts ? wanted.length : STARTS_AT_A_TIME);
      const resumeOne = (session: Session) =>
        whenLimitLifts
          ? resumeWhenLimitLifts(context, session, one)
          : lanes.run(startLane(context, session), () => {
              context.signal.throwIfAborted();
              return resume(context, session, one);
            });
      let done = 0;
      const outcomes = wanted.map(async (name) => {
        const outcome = await this.#one(name, resumeOne);
        onDone(outcome, ++done, wanted.length);
        return outcome;
      });
      return all(outcomes);
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
      outcomes.push(await this.#one(name, fn));
    }
    return outcomes;
  }

  async #one<T>(name: string, fn: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    try {
      return { name, report: await fn(getSession(this.#fleet.context, name)) };
    } catch (error) {
      if (isMamError(error, 'interrupted')) throw error;
      // One that is a bug does not hide what became of the others.
      return { name, error: explainError(error) };
    }
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

/** Each start is a program that computes for seconds: more at once only make all of them slower. */
const STARTS_AT_A_TIME = Math.max(2, Math.min(4, availableParallelism()));

/** Where one start can cost another its conversation (docs/decisions/0008), they come one by one. */
function startLane({ adapters }: OpenedFleet['context'], { agent }: Session): string | undefined {
  return adapters.get(agent).store.leavesStubs ? agent : undefined;
}

/** Waits for all, however they end: nothing may go on behind the back of who was interrupted. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
