import { setTimeout as sleep } from 'node:timers/promises';
import { type InputEvent, InputParser } from '../../../../src/demo-agent/input-parser.ts';
import { BoxInput } from './box-input.ts';
import { Conversation } from './conversation.ts';
import { earlierTurns } from './earlier-turns.ts';
import type { Parts } from './parts.ts';
import { askAtStart } from './start.ts';
import { StatusLine } from './status-line.ts';
import { Terminal } from './terminal.ts';
import { Turns } from './turns.ts';
import { Ui } from './ui.ts';

const ESCAPE_MS = 50;
/** `-i` is submitted so long after the start, whatever is on the screen. */
const SEED_MS = 900;
/** Until the box is there, two of these end it. */
const ARMED_MS = 2_000;

/** The running program in its terminal. */
export class App {
  readonly #parts: Parts;
  readonly #terminal = new Terminal(process.stdin, process.stdout);
  readonly #ui: Ui;
  readonly #parser = new InputParser();
  #box: BoxInput | undefined;
  #turns: Turns | undefined;
  #escapeTimer: NodeJS.Timeout | undefined;
  #interruptedAtMs = Number.NEGATIVE_INFINITY;
  /** What is typed while it starts is lost. */
  #reads = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#ui = new Ui(this.#terminal, parts.knobs, parts.facts, parts.wording);
  }

  async start(): Promise<void> {
    this.#terminal.open({
      onInput: (chunk) => this.#read(chunk),
      onResize: () => this.#ui.draw(),
      onGone: () => process.exit(129),
    });
    // The lock and the database stay as they are.
    process.on('SIGTERM', () => process.exit(143));
    process.on('SIGHUP', () => process.exit(129));
    new StatusLine(this.#parts, this.#ui, () => this.#turns?.conversation?.id ?? '').start();
    this.#seed(this.#parts.argv.strings['prompt-interactive']);
    if (!(await askAtStart(this.#parts, this.#ui))) return this.#leave();
    this.#reads = false;
    await sleep(this.#parts.knobs.readyMs);
    await this.#showConversation();
    this.#reads = true;
  }

  /** Dropped into whatever dialog is open then. */
  #seed(text: string | undefined): void {
    if (text === undefined) return;
    setTimeout(() => {
      if (!this.#ui.dialogOpen) this.#turns?.submit(text);
    }, SEED_MS);
  }

  async #showConversation(): Promise<void> {
    const { argv, place, knobs } = this.#parts;
    const newest = argv.flags.has('continue') ? Conversation.lastOf(place) : undefined;
    const wanted = argv.strings.conversation ?? newest;
    const isThere = wanted !== undefined && Conversation.exists(place, wanted);
    const isNamed = isThere || knobs.takesAnyId;
    const conversation =
      wanted !== undefined && isNamed ? new Conversation(place, wanted) : undefined;
    if (wanted !== undefined && !isNamed) {
      const warning = `warning: conversation "${wanted}" not found`;
      this.#ui.items.push({ kind: 'rows', rows: [warning] });
    }
    this.#ui.items.push({ kind: 'banner' });
    this.#noticeModel();
    if (isThere && conversation) {
      await conversation.open();
      this.#ui.items.push(...earlierTurns(conversation));
    }
    const workspaces = [place.cwd, ...this.#parts.workspaces];
    const hooks = this.#parts.hooks(workspaces);
    const parts = { ...this.#parts, ui: this.#ui, hooks, workspaces };
    this.#turns = new Turns(parts, conversation);
    this.#box = new BoxInput(this.#ui, this.#turns, place, () => this.#leave());
    this.#ui.isBoxShown = true;
    this.#ui.draw();
  }

  #noticeModel(): void {
    const { model } = this.#parts.argv.strings;
    if (model === undefined || /^gemini-\d|^Gemini \d/.test(model)) return;
    const text = `model ${model} is not recognized as a known model or custom model in settings. Ignoring the flag.`;
    this.#ui.items.push({ kind: 'notice', title: 'Warning', text });
  }

  #read(chunk: Buffer): void {
    clearTimeout(this.#escapeTimer);
    if (!this.#reads) return;
    for (const event of this.#parser.feed(chunk, performance.now())) this.#handle(event);
    if (!this.#parser.escapeWaits) return;
    this.#escapeTimer = setTimeout(() => {
      for (const event of this.#parser.flushEscape()) this.#handle(event);
    }, ESCAPE_MS);
  }

  #handle(event: InputEvent): void {
    if (this.#box && !this.#ui.dialogOpen) this.#box.handle(event);
    else if (this.#box === undefined && event.kind === 'interrupt') this.#interruptStart();
    else this.#ui.step(event);
  }

  #interruptStart(): void {
    const nowMs = performance.now();
    if (nowMs - this.#interruptedAtMs < ARMED_MS) this.#leave();
    this.#interruptedAtMs = nowMs;
  }

  /** A clean end. */
  #leave(): void {
    const conversation = this.#turns?.conversation;
    conversation?.close();
    const lines = conversation
      ? ['Resume with -c (or command below):', `agy --conversation=${conversation.id}`]
      : [];
    this.#terminal.close(lines);
    process.exit(0);
  }
}
