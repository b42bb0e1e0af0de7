import { randomUUID } from 'node:crypto';
import { type Conversation, conversationFile } from './conversation.ts';
import type { HookName, HookRunner } from './hook-runner.ts';
import type { Submission, TruthLog } from './truth-log.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface SessionParts {
  readonly home: string;
  readonly cwd: string;
  readonly permissions: 'skip' | 'ask';
  readonly conversation: Conversation;
  readonly hooks: HookRunner;
  readonly truth: TruthLog;
}

/** The life of the agent as others see it: its conversation, its hooks, the ground truth. */
export class Session {
  readonly conversation: Conversation;
  readonly #parts: SessionParts;
  #started = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.conversation = parts.conversation;
  }

  log(submission: Submission): void {
    this.#parts.truth.add(this.conversation.id, submission);
  }

  /** Resolves when the hooks were started and written to, soon in any case. */
  fire(event: HookName, fields: Fields): Promise<void> {
    const { hooks, cwd, permissions } = this.#parts;
    return hooks.fire(event, {
      session_id: this.conversation.id,
      transcript_path: this.conversation.file,
      cwd,
      hook_event_name: event,
      permission_mode: permissions,
      ...fields,
    });
  }

  start(source: 'startup' | 'resume'): Promise<void> {
    this.#started = true;
    return this.fire('SessionStart', { source });
  }

  /** Goes on in a new conversation. With `onlySay`, the hooks say so but nothing changes. */
  async restart(onlySay: boolean): Promise<void> {
    const ended = this.fire('SessionEnd', { reason: 'clear' });
    if (!onlySay) this.conversation.restart();
    await Promise.all([
      ended,
      this.fire('SessionStart', { source: 'clear', ...this.#lie(onlySay) }),
    ]);
  }

  /**
   * Fires SessionEnd, if the session had begun, and waits for all hooks, a few seconds at most.
   *
   * @param reason - Without one there is no hook.
   */
  async end(reason: string | undefined): Promise<void> {
    if (this.#started && reason !== undefined) void this.fire('SessionEnd', { reason });
    await this.#parts.hooks.settled();
  }

  #lie(wanted: boolean): Fields {
    if (!wanted) return {};
    const id = randomUUID();
    return { session_id: id, transcript_path: conversationFile(this.#parts.home, id) };
  }
}
