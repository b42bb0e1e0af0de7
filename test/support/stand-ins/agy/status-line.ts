import { spawn } from 'node:child_process';
import type { Parts } from './parts.ts';
import { asObject } from './settings.ts';
import type { Ui } from './ui.ts';

const PERIOD_MS = 300;
/** What it tells of the agent lags behind by so much. */
const LAG_MS = 50;

/** The user's status line: a command that gets a JSON object whenever something has changed. */
export class StatusLine {
  readonly #command: string | undefined;
  readonly #ui: Ui;
  readonly #parts: Parts;
  readonly #conversationId: () => string;
  #last = '';
  #state = 'initializing';

  constructor(parts: Parts, ui: Ui, conversationId: () => string) {
    this.#parts = parts;
    this.#ui = ui;
    this.#conversationId = conversationId;
    const { type, command, enabled } = asObject(parts.settings.get('statusLine'));
    const isOn = type === 'command' && enabled !== false && typeof command === 'string';
    this.#command = isOn ? command : undefined;
  }

  start(): void {
    if (this.#command === undefined) return;
    setInterval(() => this.#tell(), PERIOD_MS).unref();
    this.#ui.onChange(() => {
      const state = this.#now();
      setTimeout(() => {
        this.#state = state;
      }, LAG_MS).unref();
    });
  }

  /** Behind the trust question it is still initializing. A question of the model's is work. */
  #now(): string {
    const { isBoxShown, busy, dialogOpen, artifacts } = this.#ui;
    if (!isBoxShown) return 'initializing';
    if (dialogOpen) return 'tool_use';
    if (busy) return 'working';
    return artifacts.length > 0 ? 'reviewing' : 'idle';
  }

  #tell(): void {
    const { ui, id, place } = {
      ui: this.#ui,
      id: this.#conversationId(),
      place: this.#parts.place,
    };
    const snapshot = JSON.stringify({
      agent_state: this.#state,
      ...(ui.dialogOpen ? { tool_confirmation_pending: true } : {}),
      ...{ conversation_id: id, session_id: id, cwd: place.cwd },
      ...(ui.mode === '' ? {} : { cycle_mode: ui.mode }),
      ...{ subagents: [], task_count: ui.tasks.size, pending_input_count: ui.queued.length },
      artifact_count: ui.artifacts.length,
      email: 'user@example.com',
    });
    if (snapshot === this.#last) return;
    this.#last = snapshot;
    const child = spawn('sh', ['-c', this.#command ?? ''], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(snapshot);
  }
}
