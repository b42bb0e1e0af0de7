import { isMamError } from '../../domain/errors.ts';
import { GO_ON, goOnId } from '../../domain/go-on.ts';
import type { Session } from '../../domain/session.ts';
import type { Attended, World } from '../../ports/fleet-care.ts';
import type { MonitorContext } from './context.ts';
import { isAsDecided, type ResumeIntent, resumesDue, retryDelayMs } from './policy.ts';

/** How often an agent that did not take it is told again, and how long after. Milliseconds. */
const GO_ON_TRIES = 3;
const GO_ON_GAP_MS = 60_000;
/** How long after somebody else was at it. Milliseconds. */
const BUSY_GAP_MS = 5_000;

export interface PolicyEvents {
  /** Something was done, or will not be done any more. */
  onDone(session: Session, message: string): void;
  /** A try that failed; there may be others. */
  onFailed(session: Session, error: unknown): void;
}

/** Tries at one thing that failed. */
interface Tries {
  readonly count: number;
  /** Monotonic. */
  readonly nextAtMs: number;
}

/** Carries out what the settings let the monitor do by itself: one session after another, beside the turns. */
export class Policies {
  readonly #context: MonitorContext;
  readonly #events: PolicyEvents;
  readonly #queued = new Set<string>();
  /** By launch: what failed at it, until the session is on another one. */
  readonly #tries = new Map<string, Tries>();
  readonly #braked = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #isStart: boolean;

  constructor(context: MonitorContext, isStart: boolean, events: PolicyEvents) {
    this.#context = context;
    this.#isStart = isStart;
    this.#events = events;
  }

  /** How many acts wait or are under way. */
  get waiting(): number {
    return this.#queued.size;
  }

  /** Begins what is due after a look. */
  look(world: World): void {
    const { policies } = this.#context.settings;
    if (!policies.autoResume && !policies.resumeAtStart) return;
    for (const intent of this.#resumesDue(world)) this.#resume(intent);
    if (!world.isFirstLook) this.#isStart = false;
  }

  /** Tells agents to go on whose limit has lifted a while ago, and that did not do so by themselves. */
  goOn(attended: readonly Attended[]): void {
    if (!this.#context.settings.policies.limitLift) return;
    for (const { session, liftedMs } of attended) {
      if (liftedMs !== undefined) this.#sendGoOn(session, liftedMs);
    }
  }

  /** Forgets launches that are no more. */
  keep(launches: ReadonlySet<string>): void {
    for (const launch of [...this.#tries.keys(), ...this.#braked]) {
      if (launches.has(launch)) continue;
      this.#tries.delete(launch);
      this.#braked.delete(launch);
    }
  }

  /** What was begun is over; what waited is not begun. */
  async end(): Promise<void> {
    await this.#work;
  }

  #resumesDue(world: World): readonly ResumeIntent[] {
    const { registry, settings, processes, clock } = this.#context;
    return registry.read((reader) =>
      resumesDue({
        policies: settings.policies,
        world,
        sessions: reader.sessions(),
        launchesOf: (id) => reader.launches(id),
        self: processes.self,
        nowMs: clock.nowMs(),
        isStart: this.#isStart,
      }),
    );
  }

  #resume({ session, why, verdict, earlier }: ResumeIntent): void {
    if (this.#queued.has(session.id)) return;
    const { autoResumeMax } = this.#context.settings.policies;
    const { launch } = session;
    const tried = this.#tries.get(launch)?.count ?? 0;
    if (verdict === 'braked' || tried >= autoResumeMax) {
      if (this.#braked.has(launch)) return;
      this.#braked.add(launch);
      const often = `${Math.max(earlier, tried)} tries within an hour (policies.auto_resume_max: ${autoResumeMax})`;
      this.#events.onDone(session, `is not resumed again by itself: ${often}`);
      return;
    }
    if (!this.#isTime(launch)) return;
    this.#enqueue(session, async () => {
      await this.#context.care.resume(session, (current) => isAsDecided(session, current));
      this.#tries.delete(launch);
      return [session, `was resumed (${REASONS[why]})`];
    });
  }

  /** Once it is idle; an agent that is at work, or at a dialog, has gone on. */
  #sendGoOn(session: Session, untilMs: number): void {
    const { launch } = session;
    const tried = this.#tries.get(launch)?.count ?? 0;
    const id = `${goOnId(launch, untilMs)}${tried === 0 ? '' : `-${tried}`}`;
    const known = this.#context.registry.read((reader) => reader.findDelivery(id));
    if (known || tried >= GO_ON_TRIES || !this.#isTime(launch)) return;
    this.#enqueue(session, async () => {
      const [now] = await this.#context.care.attend([session]);
      if (now?.liftedMs !== untilMs || now.activity.state !== 'idle') return undefined;
      const state = await this.#context.care.send(session, id, GO_ON);
      if (state === 'submitted' || state === 'answered') {
        return [session, 'was told to continue: its usage limit has lifted'];
      }
      this.#failedAt(launch, GO_ON_GAP_MS);
      return [session, `could not be told to continue after its usage limit: ${state}`];
    });
  }

  #isTime(launch: string): boolean {
    const tries = this.#tries.get(launch);
    return !tries || this.#context.clock.monotonicMs() >= tries.nextAtMs;
  }

  #failedAt(launch: string, delayMs: number): void {
    const count = (this.#tries.get(launch)?.count ?? 0) + 1;
    const nextAtMs = this.#context.clock.monotonicMs() + delayMs;
    this.#tries.set(launch, { count, nextAtMs });
  }

  #enqueue(session: Session, fn: () => Promise<readonly [Session, string] | undefined>): void {
    const { id } = session;
    if (this.#queued.has(id)) return;
    this.#queued.add(id);
    const act = async () => {
      if (this.#context.signal.aborted) return;
      try {
        const done = await fn();
        if (done) this.#events.onDone(...done);
      } catch (error) {
        this.#takeFailure(session, error);
      }
    };
    this.#work = this.#work.then(act).finally(() => this.#queued.delete(id));
  }

  #takeFailure(session: Session, error: unknown): void {
    // A person, or another command, was quicker: then it is theirs.
    if (this.#context.signal.aborted || isMamError(error, 'launch.superseded')) return;
    const { launch } = session;
    const tried = this.#tries.get(launch)?.count ?? 0;
    if (isMamError(error, 'session.busy') || isMamError(error, 'registry.busy')) {
      const nextAtMs = this.#context.clock.monotonicMs() + BUSY_GAP_MS;
      this.#tries.set(launch, { count: tried, nextAtMs });
      return;
    }
    this.#failedAt(launch, retryDelayMs(tried + 1));
    this.#events.onFailed(session, error);
  }
}

const REASONS = {
  crash: 'its agent had crashed',
  server: 'its tmux server had gone',
  start: 'it ran when the tmux server went away',
} as const;
