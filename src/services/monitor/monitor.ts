import { isMamError } from '../../domain/errors.ts';
import { MONITOR_TERM_MS } from '../../domain/monitor-term.ts';
import type { Session } from '../../domain/session.ts';
import type { Finding, FleetSurvey, World } from '../../ports/fleet-care.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { RegistryFace } from '../../ports/registry.ts';
import type { ServerLink } from '../../ports/server-link.ts';
import { Beat, timeOf, wasHeldUp } from './beat.ts';
import { Changes } from './changes.ts';
import type { MonitorContext } from './context.ts';
import { Notices } from './notices.ts';
import { Policies } from './policies.ts';
import { isInDoubt, reconcile } from './reconcile.ts';
import { assertTermFree, endTerm, holdTerm } from './term.ts';
import { Told } from './told.ts';

export interface MonitorOptions {
  readonly context: MonitorContext;
  readonly face: RegistryFace;
  /** By which people are told. */
  readonly notifiers: readonly Notifier[];
  /** False when a monitor that was there goes on, for example with other settings. */
  readonly isStart: boolean;
  /** Makes the context's signal be aborted. */
  abort(): void;
  /** For people on other hosts. */
  readonly hostName: string;
  /** Undefined with `tmux.control_mode: false`: then each look is a process of its own. */
  readonly link: ServerLink | undefined;
  /** After each turn. */
  onTurn(health: MonitorHealth): void;
}

/** How the monitor is; counted from its start. */
export interface MonitorHealth {
  readonly turns: number;
  /** What was done about findings. */
  readonly acts: number;
  /** The newest first, few. */
  readonly errors: readonly string[];
  /** Recorded as running. */
  readonly sessions: number;
  /** What waits or is under way. */
  readonly queues: {
    readonly deliveries: number;
    readonly policies: number;
    readonly notices: number;
  };
  readonly isConnected: boolean;
  /** Whether this turn could look. */
  readonly hasLooked: boolean;
}

const PERIOD_MS = 1_000;
const GAP_MS = 20;
/** Stores, environments and everything waiting are looked through this often. Milliseconds. */
const THOROUGH_MS = 30_000;
/** What agents do is looked at this often, where somebody is to be told of it. Milliseconds. */
const ATTEND_MS = 5_000;
/** How long what waits for an idle agent may take. Milliseconds. */
const DELIVER_MS = 15_000;
/** Between tries at the control connection, doubled after each. Milliseconds. */
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 10_000;
const KEPT_ERRORS = 5;
const ERROR_AGAIN_MS = 60_000;
/** Twice missed, a term still stands. */
const RENEW_MS = MONITOR_TERM_MS / 3;

/**
 * Keeps registry and tmux in agreement: woken by tmux, by files of launches and by the spool, and at
 * least once a second without any of them.
 */
export class Monitor {
  readonly #options: MonitorOptions;
  readonly #context: MonitorContext;
  readonly #survey: FleetSurvey;
  readonly #beat: Beat;
  readonly #policies: Policies;
  readonly #notices: Notices;
  readonly #changes: Changes;
  readonly #delivering = new Map<string, Promise<void>>();
  /** Launches that were on a server that has gone. */
  #lost: ReadonlySet<string> = new Set();
  #sessions = 0;
  #hasLooked = false;
  readonly #told = new Told();
  #errors: readonly { readonly said: string; readonly loggedAtMs: number }[] = [];
  #turns = 0;
  #acts = 0;
  #thoroughAtMs = Number.NEGATIVE_INFINITY;
  #attendedAtMs = Number.NEGATIVE_INFINITY;
  #writtenRevision = -1;
  #retryAtMs = 0;
  #retryMs = FIRST_RETRY_MS;
  #renewAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#survey = options.context.care.survey();
    const rhythm = { periodMs: PERIOD_MS, gapMs: GAP_MS };
    this.#changes = new Changes(options.context, () => this.#beat.wake());
    const onError = (error: unknown) => this.#note(error);
    this.#notices = new Notices(options.context, options.notifiers, onError);
    this.#policies = new Policies(options.context, options.isStart, {
      onDone: (session, message) => this.#didByPolicy(session, message),
      onFailed: (session, error) => {
        this.#note(error);
        const why = isMamError(error) ? error.message.split('\n')[0] : 'see mam monitor status';
        this.#notices.add('policy', session, `A policy failed at ${session.name}: ${why}`);
      },
    });
    this.#beat = new Beat(options.context.clock, rhythm, (isFirst) => this.#turn(isFirst));
  }

  /** Something has changed on the server. */
  wake(): void {
    this.#beat.wake();
  }

  /**
   * Until the signal; then everything that it holds is let go.
   *
   * @throws {MamError} `monitor.elsewhere` when another host's monitor has begun.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#beat.run(signal);
    } finally {
      // Whatever ended the turns ends what goes on beside them too.
      this.#options.abort();
      this.#changes[Symbol.dispose]();
      await Promise.all([...this.#delivering.values(), this.#policies.end(), this.#notices.end()]);
      await this.#quietly(() => endTerm(this.#context));
      this.#options.link?.[Symbol.dispose]();
    }
  }

  /** A turn that fails is told, and the next one tries again: a monitor that ends helps nobody. */
  async #turn(isFirst: boolean): Promise<void> {
    this.#turns++;
    this.#hasLooked = false;
    const changed = this.#changes.take();
    try {
      this.#renewTerm();
      await this.#reconcile(isFirst, changed);
    } catch (error) {
      if (isMamError(error, 'monitor.elsewhere')) throw error;
      this.#changes.putBack(changed);
      this.#note(error);
    }
    this.#options.onTurn(this.#health());
  }

  /** Another host's term is seen at once: after a pause of ours it may have begun. */
  #renewTerm(): void {
    this.#context.registry.read((reader) => assertTermFree(this.#context, reader));
    const nowMs = this.#context.clock.monotonicMs();
    if (nowMs < this.#renewAtMs) return;
    holdTerm(this.#context, this.#options.hostName);
    this.#renewAtMs = nowMs + RENEW_MS;
  }

  async #reconcile(isFirst: boolean, changed: ReadonlySet<string>): Promise<void> {
    const { care, clock } = this.#context;
    const begun = timeOf(clock);
    const isThorough = isFirst || begun.steadyMs >= this.#thoroughAtMs + THOROUGH_MS;
    if (isThorough) this.#thoroughAtMs = begun.steadyMs;
    await this.#quietly(() => care.recover());
    await this.#connect();
    const seen = await this.#survey.look({ isFirstLook: isFirst, isThorough });
    // Stopped in the middle, this look has seen what may be over.
    const world = wasHeldUp(clock, begun) ? { ...seen, isFirstLook: true } : seen;
    this.#hasLooked = true;
    const findings = reconcile(world);
    this.#tell(findings, isThorough);
    if (world.server === 'gone') this.#lost = new Set(launchesOf(world));
    for (const finding of findings) {
      if (!wasHeldUp(clock, begun)) await this.#act(finding);
    }
    await this.#lookAfter(world, { isThorough, changed });
    // What is not marked yet is looked at again soon: a first look, or an end without its record.
    if (world.isFirstLook || world.sessions.some(isInDoubt)) this.#beat.wake();
    await this.#writeFace();
  }

  /** What waits for sessions; one that fails is no trouble of the others. */
  async #lookAfter(
    world: World,
    { isThorough, changed }: { isThorough: boolean; changed: ReadonlySet<string> },
  ): Promise<void> {
    const { care, registry } = this.#context;
    const sessions = world.sessions.map(({ seen }) => seen.session);
    this.#sessions = sessions.length;
    this.#changes.watch(sessions);
    for (const session of sessions) {
      const hasNews =
        isThorough || changed.has(session.launch) || this.#changes.hasWaiting(session);
      if (!hasNews) continue;
      await this.#quietly(() => care.drain(session));
      if (!world.isFirstLook) this.#deliver(session);
    }
    this.#policies.look(world);
    if (isThorough) {
      const all = registry.read((reader) => reader.sessions());
      this.#policies.keep(new Set(all.map(({ launch }) => launch)));
    }
    await this.#quietly(() => this.#attend(world, changed));
  }

  async #act(finding: Finding): Promise<void> {
    if (finding.action === 'none' || finding.action === 'reap') return;
    try {
      if ((await this.#context.care.act(finding)) !== 'done') return;
      this.#acts++;
      if (finding.drift === 'A') this.#tellEnd(finding);
    } catch (error) {
      // The others are none the worse for it.
      this.#note(error);
    }
  }

  #tellEnd({ target, reason }: Finding): void {
    if (target.kind !== 'session') return;
    const { sessionId, launch } = target;
    // That its server went away was told once for all.
    if (this.#lost.has(launch)) return;
    const session = this.#context.registry.read((reader) => reader.findSessionById(sessionId));
    if (session) this.#notices.add('exited', session, `${session.name}: ${reason}`);
  }

  #didByPolicy(session: Session, message: string): void {
    this.#acts++;
    this.#context.logger.warn(`policy ${session.name}: ${message}`);
    this.#notices.add('policy', session, `${session.name} ${message}.`);
    this.#beat.wake();
  }

  /** Costs a look of its own, so only where a setting asks for it. */
  async #attend({ sessions }: World, changed: ReadonlySet<string>): Promise<void> {
    const context = this.#context;
    if (!this.#notices.isWanted && !context.settings.policies.limitLift) return;
    const nowMs = context.clock.monotonicMs();
    const isDue = nowMs >= this.#attendedAtMs + ATTEND_MS;
    if (isDue) this.#attendedAtMs = nowMs;
    const running = sessions.map(({ seen }) => seen.session);
    const wanted = isDue ? running : running.filter(({ launch }) => changed.has(launch));
    if (wanted.length === 0) return;
    const seen = await context.care.attend(wanted);
    this.#notices.attend(seen, new Set(running.map(({ launch }) => launch)));
    this.#policies.goOn(seen);
  }

  /** One at a time for each session, beside the turns: an agent may take seconds. */
  #deliver(session: Session): void {
    const { id } = session;
    if (this.#delivering.has(id)) return;
    const delivering = this.#context.care.deliverWaiting(session, DELIVER_MS).finally(() => {
      this.#delivering.delete(id);
    });
    this.#delivering.set(id, delivering);
  }

  /** Only where a server is: one that the monitor alone needs is not started. */
  async #connect(): Promise<void> {
    const { link } = this.#options;
    const { clock } = this.#context;
    const isDue = clock.monotonicMs() >= this.#retryAtMs;
    if (!link || link.isConnected || !isDue) return;
    if (!this.#context.care.isServerAlive()) return;
    const isConnected = await link.connect();
    this.#retryMs = isConnected ? FIRST_RETRY_MS : Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    this.#retryAtMs = clock.monotonicMs() + this.#retryMs;
  }

  #tell(findings: readonly Finding[], isThorough: boolean): void {
    for (const { finding, isNew } of this.#told.news(findings, isThorough)) {
      const { drift, session, action, reason, evidence } = finding;
      const about = `${drift} ${session ?? 'server'}`;
      this.#context.logger.warn(`${about}: ${reason} [${action}]`, { evidence });
      // An end is a notice of its own, once it is written down.
      if (!isNew || drift === 'A') continue;
      this.#notices.add('drift', undefined, `${session ?? 'tmux server'}: ${reason}`);
    }
  }

  /** Whoever comes second finds nothing to do. */
  async #writeFace(): Promise<void> {
    const revision = this.#context.registry.read((reader) => reader.revision());
    if (revision === this.#writtenRevision) return;
    const { setAside } = await this.#options.face.write();
    if (setAside) {
      this.#context.logger.warn(`The face was set aside as ${setAside.path}: ${setAside.reason}.`);
    }
    this.#writtenRevision = revision;
  }

  /** What fails is told, and the rest goes on. */
  async #quietly(fn: () => void | Promise<void>): Promise<void> {
    try {
      await fn();
    } catch (error) {
      this.#note(error);
    }
  }

  /** One that comes again with each turn is logged once a minute. */
  #note(error: unknown): void {
    const said = isMamError(error) ? error.message : String((error as Error)?.stack ?? error);
    const nowMs = this.#context.clock.monotonicMs();
    const known = this.#errors.find((each) => each.said === said);
    const isNews = !known || nowMs - known.loggedAtMs >= ERROR_AGAIN_MS;
    const noted = { said, loggedAtMs: isNews ? nowMs : known.loggedAtMs };
    this.#errors = [noted, ...this.#errors.filter((each) => each !== known)].slice(0, KEPT_ERRORS);
    if (isNews) this.#context.logger.warn(said);
  }

  #health(): MonitorHealth {
    return {
      turns: this.#turns,
      acts: this.#acts,
      errors: this.#errors.map(({ said }) => said),
      sessions: this.#sessions,
      queues: {
        deliveries: this.#delivering.size,
        policies: this.#policies.waiting,
        notices: this.#notices.waiting,
      },
      hasLooked: this.#hasLooked,
      isConnected: this.#options.link?.isConnected === true,
    };
  }
}

function launchesOf({ sessions }: World): readonly string[] {
  return sessions.map(({ seen }) => seen.session.launch);
}
