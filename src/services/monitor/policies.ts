import { isMamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { Attended, World } from '../../ports/fleet-care.ts';
import type { MonitorContext } from './context.ts';
import { type ResumeIntent, resumesDue } from './policy.ts';

/** What an agent is told when its usage limit has lifted. */
const GO_ON = 'The usage limit has lifted. Please continue where you left off.';

export interface PolicyEvents {
  /** Something was done, or will not be done any more. */
  onDone(session: Session, message: string): void;
  onError(error: unknown): void;
}

/** Carries out what the settings let the monitor do by itself: one session after another, beside the turns. */
export class Policies {
  readonly #context: MonitorContext;
  readonly #events: PolicyEvents;
  readonly #queued = new Set<string>();
  readonly #failed = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();
  #isStart: boolean;

  constructor(context: MonitorContext, isStart: boolean, events: PolicyEvents) {
    this.#context = context;
    this.#isStart = isStart;
    this.#events = events;
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

  /** What was begun is over. */
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
    const end = `${session.launch} ${verdict}`;
    // One that failed, or was braked, is tried again after its next end only.
    if (this.#failed.get(session.id) === end) return;
    if (verdict === 'braked') {
      this.#failed.set(session.id, end);
      const often = `${earlier} resumes within an hour (policies.auto_resume_max: ${autoResumeMax})`;
      this.#events.onDone(session, `is not resumed again by itself: ${often}`);
      return;
    }
    this.#enqueue(session.id, async () => {
      try {
        await this.#context.care.resume(session);
        this.#events.onDone(session, `was resumed (${REASONS[why]})`);
      } catch (error) {
        this.#failed.set(session.id, end);
        throw error;
      }
    });
  }

  #sendGoOn(session: Session, untilMs: number): void {
    const id = `limit-${session.launch}-${untilMs}`;
    const known = this.#context.registry.read((reader) => reader.findDelivery(id));
    if (known) return;
    this.#enqueue(session.id, async () => {
      const state = await this.#context.care.send(session, id, GO_ON);
      this.#events.onDone(session, `was told to continue: its usage limit has lifted (${state})`);
    });
  }

  #enqueue(sessionId: string, fn: () => Promise<void>): void {
    if (this.#queued.has(sessionId)) return;
    this.#queued.add(sessionId);
    this.#work = this.#work.then(fn).then(
      () => void this.#queued.delete(sessionId),
      (error) => {
        this.#queued.delete(sessionId);
        if (!isMamError(error, 'interrupted')) this.#events.onError(error);
      },
    );
  }
}

const REASONS = {
  crash: 'its agent had crashed',
  server: 'its tmux server had gone',
  start: 'it ran when the tmux server went away',
} as const;
