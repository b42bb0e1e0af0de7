import { isMamError } from '../../domain/errors.ts';
import { MONITOR_TERM_MS } from '../../domain/monitor-term.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { Finding, FleetSurvey, World } from '../../ports/fleet-care.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { RegistryFace } from '../../ports/registry.ts';
import type { ServerLink } from '../../ports/server-link.ts';
import { Beat } from './beat.ts';
import type { MonitorContext } from './context.ts';
import { Notices } from './notices.ts';
import { Policies } from './policies.ts';
import { reconcile } from './reconcile.ts';
import { assertTermFree, endTerm, holdTerm } from './term.ts';
import { Told } from './told.ts';

export interface MonitorOptions {
  readonly context: MonitorContext;
  readonly face: RegistryFace;
  readonly notifier: Notifier;
  /** False when a monitor that was there goes on, for example with other settings. */
  readonly isStart: boolean;
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
  readonly sessions: number;
  readonly isConnected: boolean;
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
  readonly #watches = new Map<string, Disposable>();
  readonly #delivering = new Map<string, Promise<void>>();
  /** Launches whose folder or spool has changed since the last turn. */
  #changed = new Set<string>();
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
    const onError = (error: unknown) => this.#note(error);
    this.#notices = new Notices(options.context, options.notifier, onError);
    this.#policies = new Policies(options.context, options.isStart, {
      onError,
      onDone: (session, message) => this.#didByPolicy(session, message),
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
      endTerm(this.#context);
      for (const watch of this.#watches.values()) watch[Symbol.dispose]();
      await Promise.all([...this.#delivering.values(), this.#policies.end(), this.#notices.end()]);
      this.#options.link?.[Symbol.dispose]();
    }
  }

  /** A turn that fails is told, and the next one tries again: a monitor that ends helps nobody. */
  async #turn(isFirst: boolean): Promise<void> {
    this.#turns++;
    try {
      this.#renewTerm();
      await this.#reconcile(isFirst);
    } catch (error) {
      if (isMamError(error, 'monitor.elsewhere')) throw error;
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

  async #reconcile(isFirst: boolean): Promise<void> {
    const context = this.#context;
    const changed = this.#changed;
    this.#changed = new Set();
    const isThorough = isFirst || context.clock.monotonicMs() >= this.#thoroughAtMs + THOROUGH_MS;
    if (isThorough) this.#thoroughAtMs = context.clock.monotonicMs();
    await context.care.recover();
    await this.#connect();
    const world = await this.#survey.look({ isFirstLook: isFirst, isThorough });
    const findings = reconcile(world);
    this.#tell(findings, isThorough);
    for (const finding of findings) await this.#act(finding);
    this.#watchAll(world);
    for (const { seen } of world.sessions) {
      const { session } = seen;
      if (!isThorough && !changed.has(session.launch)) continue;
      context.care.drain(session);
      if (!isFirst) this.#deliver(session);
    }
    this.#policies.look(world);
    await this.#attend(world, changed);
    // What is not marked yet is looked at again soon: a first look, or an end without its record.
    if (isFirst || world.sessions.some(isInDoubt)) this.#beat.wake();
    await this.#writeFace();
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
    const { sessionId } = target;
    const session = this.#context.registry.read((reader) => reader.findSessionById(sessionId));
    if (session) this.#notices.add('exited', session, `${session.name}: ${reason}`);
  }

  #didByPolicy(session: Session, message: string): void {
    this.#acts++;
    this.#context.logger.warn(`policy ${session.name}: ${message}`);
    this.#notices.add('exited', session, `${session.name} ${message}.`);
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

  #watchAll({ sessions }: World): void {
    const wanted = new Map<string, string>();
    for (const { seen } of sessions) {
      const { launch } = seen.session;
      wanted.set(workspacePaths.launch(this.#context.workspace, launch), launch);
      wanted.set(workspacePaths.spool(this.#context.workspace, launch), launch);
    }
    for (const [folder, watch] of this.#watches) {
      if (wanted.has(folder)) continue;
      watch[Symbol.dispose]();
      this.#watches.delete(folder);
    }
    for (const [folder, launch] of wanted) {
      if (this.#watches.has(folder)) continue;
      const watch = this.#context.files.watch(folder, () => {
        this.#changed.add(launch);
        this.#beat.wake();
      });
      if (watch) this.#watches.set(folder, watch);
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
      sessions: this.#watches.size / 2,
      isConnected: this.#options.link?.isConnected === true,
    };
  }
}

function isInDoubt({ seen, wasLifeless }: World['sessions'][number]): boolean {
  return !seen.agentAlive && seen.exit === undefined && seen.agent !== undefined && !wasLifeless;
}
