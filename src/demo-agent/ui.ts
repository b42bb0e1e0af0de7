import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialog, stepDialog } from './dialog.ts';
import { Draft } from './draft.ts';
import { type Block, type Bottom, type Frame, renderFrame } from './frame.ts';
import type { InputEvent } from './input-parser.ts';
import type { Terminal } from './terminal.ts';

/** The spinner counts, and dialogs are drawn again, this often. */
const REDRAW_MS = 500;
const SLASH_MENU = ['/clear     start anew', '/compact   shorten', '/exit      quit'];

export interface UiOptions {
  readonly header: () => string;
  readonly permissions: 'skip' | 'ask';
  readonly ghost: string;
  readonly slashMenu: boolean;
  readonly still: boolean;
  /** From what tells of a dialog to its drawing. Milliseconds. */
  readonly dialogLagMs: number;
}

interface OpenDialog {
  dialog: Dialog;
  readonly answer: (index: number | undefined) => void;
}

/** What is on the screen, and when it is drawn. Draws after every change. */
export class Ui {
  readonly draft: Draft;
  /** Shown in place of the usual footer. */
  footerHint: string | undefined;
  limited = false;
  /** Until the composer is shown there is a splash. */
  composerShown = false;
  readonly #terminal: Terminal;
  readonly #options: UiOptions;
  #blocks: Block[] = [];
  #open: OpenDialog | undefined;
  #busySinceMs: number | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #drawScheduled = false;

  constructor(terminal: Terminal, options: UiOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.draft = new Draft({ slashMenu: options.slashMenu });
  }

  show(kind: Block['kind'], text: string): void {
    this.#blocks.push({ kind, text });
    this.scheduleDraw();
  }

  /** The note goes at its time, as with the real ones. @param atMs - Milliseconds since 1970. */
  limitUntil(atMs: number): void {
    const lift = () => {
      this.limited = false;
      this.scheduleDraw();
    };
    setTimeout(lift, atMs - Date.now()).unref();
  }

  clearTranscript(): void {
    this.#blocks = [];
    this.scheduleDraw();
  }

  startBusy(): void {
    this.#busySinceMs = Date.now();
    this.#tick();
  }

  /** @returns Whole seconds that it lasted. */
  endBusy(): number {
    const seconds = this.#busySeconds ?? 0;
    this.#busySinceMs = undefined;
    this.#tick();
    return seconds;
  }

  get dialogOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Shows a dialog until it is answered: the option's index, or `undefined` when cancelled. */
  async ask(dialog: Dialog): Promise<number | undefined> {
    const { dialogLagMs } = this.#options;
    if (dialogLagMs > 0) await sleep(dialogLagMs);
    const answered = new Promise<number | undefined>((resolve) => {
      this.#open = { dialog, answer: resolve };
    });
    this.#tick();
    const index = await answered;
    return index;
  }

  /** Gives a key to the open dialog. */
  step(event: InputEvent): void {
    const open = this.#open;
    if (open === undefined) return;
    const step = stepDialog(open.dialog, event);
    if (step?.kind === 'moved') open.dialog = { ...open.dialog, marked: step.marked };
    else if (step !== undefined) {
      this.#open = undefined;
      open.answer(step.kind === 'picked' ? step.index : undefined);
    }
    this.#tick();
  }

  /** Draws once, after the input that was read with this one has been handled. */
  scheduleDraw(): void {
    if (this.#drawScheduled) return;
    this.#drawScheduled = true;
    setImmediate(() => {
      if (this.#drawScheduled) this.drawNow();
    });
  }

  drawNow(): void {
    this.#drawScheduled = false;
    this.#terminal.draw(this.#frame());
  }

  close(lastLine: string): void {
    clearInterval(this.#ticker);
    this.#drawScheduled = false;
    this.#terminal.close(this.#frame(), lastLine);
  }

  /** Keeps the ticker going exactly while there is something that moves. */
  #tick(): void {
    const isBusy = this.#busySinceMs !== undefined || this.#open !== undefined;
    const moving = isBusy && !this.#options.still;
    if (moving) this.#ticker ??= setInterval(() => this.scheduleDraw(), REDRAW_MS);
    else {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    }
    this.scheduleDraw();
  }

  #frame(): Frame {
    const busySeconds = this.#open === undefined ? this.#busySeconds : undefined;
    const view = {
      header: this.#options.header(),
      blocks: this.#blocks,
      bottom: this.#bottom(),
      ...(busySeconds === undefined ? {} : { busySeconds }),
    };
    return renderFrame(view, this.#terminal.size);
  }

  #bottom(): Bottom {
    if (this.#open !== undefined) return { kind: 'dialog', dialog: this.#open.dialog };
    if (!this.composerShown) return { kind: 'splash' };
    return {
      kind: 'composer',
      mode: this.draft.mode,
      draft: this.draft.shown,
      ghost: this.#options.ghost,
      footer: this.#footer(),
      menu: this.draft.menuOpen ? SLASH_MENU : [],
    };
  }

  #footer(): string {
    if (this.footerHint !== undefined) return this.footerHint;
    const mode = this.#options.permissions === 'skip' ? '⏵⏵ skip mode on' : '⏸ ask mode on';
    if (this.#busySinceMs !== undefined) return `${mode} · esc to interrupt`;
    if (this.limited) return `${mode} · ⚠ Usage limit reached`;
    return this.#options.permissions === 'skip' ? mode : `${mode} · ? for shortcuts`;
  }

  get #busySeconds(): number | undefined {
    if (this.#busySinceMs === undefined) return undefined;
    return Math.floor((Date.now() - this.#busySinceMs) / 1000);
  }
}
