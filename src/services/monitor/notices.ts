import type { Session } from '../../domain/session.ts';
import type { NoticeKind } from '../../domain/settings.ts';
import type { Attended } from '../../ports/fleet-care.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { MonitorContext } from './context.ts';
import { Attention, type Notice, noticeOf } from './notice.ts';

/** Notices that wait while one is being told; more are dropped, and that is said. */
const MAX_WAITING = 100;

/** Tells notices one after another, beside the turns; what could not be told is an error of the monitor. */
export class Notices {
  readonly #context: MonitorContext;
  readonly #notifier: Notifier;
  readonly #onError: (error: unknown) => void;
  readonly #attention = new Attention();
  #waiting = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(context: MonitorContext, notifier: Notifier, onError: (error: unknown) => void) {
    this.#context = context;
    this.#notifier = notifier;
    this.#onError = onError;
  }

  /** Whether anybody is to be told of anything. */
  get isWanted(): boolean {
    const { command, webhook, on } = this.#context.settings.notify;
    return on.length > 0 && (command.length > 0 || webhook !== '');
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
    return this.#waiting;
  }

  /** What was begun is over. */
  async end(): Promise<void> {
    await this.#work;
  }

  #tell(notice: Notice): void {
    const { settings, workspace, signal } = this.#context;
    if (!this.isWanted || !settings.notify.on.includes(notice.kind)) return;
    if (this.#waiting >= MAX_WAITING) {
      this.#onError(new Error(`A notice was dropped, ${MAX_WAITING} wait: ${notice.message}`));
      return;
    }
    this.#waiting++;
    const { kind, session, message, atMs } = notice;
    const json = {
      ...({ v: 1, event: kind, workspace: workspace.root } as const),
      session: session?.name ?? null,
      agent: session?.agent ?? null,
      role: session?.role ?? null,
      message,
      at: new Date(atMs).toISOString(),
    };
    this.#work = this.#work
      .then(() => (signal.aborted ? undefined : this.#notifier.tell(json, signal)))
      .catch((error) => {
        if (!signal.aborted) this.#onError(error);
      })
      .finally(() => {
        this.#waiting--;
      });
  }
}
