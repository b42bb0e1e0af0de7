import type { Session } from '../../domain/session.ts';
import type { NoticeKind } from '../../domain/settings.ts';
import type { Attended } from '../../ports/fleet-care.ts';
import type { NoticeJson, Notifier } from '../../ports/notifier.ts';
import type { MonitorContext } from './context.ts';
import { Attention, type Notice, noticeOf } from './notice.ts';

/** Notices that wait while one is being told; more are dropped, and that is said. */
const MAX_WAITING = 100;

type NoticesContext = Pick<MonitorContext, 'workspace' | 'settings' | 'clock' | 'signal'>;

/** Tells notices one after another, beside the turns; what could not be told is an error of the monitor. */
export class Notices {
  readonly #context: NoticesContext;
  readonly #queues: readonly NoticeQueue[];
  readonly #attention = new Attention();

  constructor(
    context: NoticesContext,
    notifiers: readonly Notifier[],
    onError: (error: unknown) => void,
  ) {
    this.#context = context;
    this.#queues = notifiers.map((each) => new NoticeQueue(each, context.signal, onError));
  }

  /** Whether anybody is to be told of anything. */
  get isWanted(): boolean {
    return this.#queues.length > 0 && this.#context.settings.notify.on.length > 0;
  }

  /** What sessions are doing now. @param launches - Those that run. */
  attend(seen: readonly Attended[], launches: ReadonlySet<string>): void {
    this.#attention.keep(launches);
    for (const notice of this.#attention.noticesOf(seen, this.#context.clock.nowMs())) {
      this.#tell(notice);
    }
  }

  add(kind: NoticeKind, session: Session | undefined, message: string): void {
    this.#tell(noticeOf(kind, session, message, this.#context.clock.nowMs()));
  }

  get waiting(): number {
    return this.#queues.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** What was begun is over. */
  async end(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.end()));
  }

  #tell({ kind, session, message, atMs }: Notice): void {
    const { settings, workspace } = this.#context;
    if (!settings.notify.on.includes(kind)) return;
    const json = {
      ...({ v: 1, event: kind, workspace: workspace.root } as const),
      session: session?.name ?? null,
      agent: session?.agent ?? null,
      role: session?.role ?? null,
      message,
      at: new Date(atMs).toISOString(),
    };
    for (const queue of this.#queues) queue.add(json);
  }
}

/** One after another by one way: a way that hangs holds up no other. */
class NoticeQueue {
  readonly #notifier: Notifier;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;
  #waiting = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(notifier: Notifier, signal: AbortSignal, onError: (error: unknown) => void) {
    this.#notifier = notifier;
    this.#signal = signal;
    this.#onError = onError;
  }

  get waiting(): number {
    return this.#waiting;
  }

  add(notice: NoticeJson): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#onError(new Error(`Notices are dropped: ${MAX_WAITING} wait to be told.`));
      return;
    }
    this.#waiting++;
    this.#work = this.#work
      .then(() => (this.#signal.aborted ? undefined : this.#notifier.tell(notice, this.#signal)))
      .catch((error) => {
        if (!this.#signal.aborted) this.#onError(error);
      })
      .finally(() => {
        this.#waiting--;
      });
  }

  async end(): Promise<void> {
    await this.#work;
  }
}
