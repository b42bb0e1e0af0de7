import type { InputEvent } from '../../../../src/demo-agent/input-parser.ts';
import { BoxKeys } from './box-keys.ts';
import { type Dialog, type Step, stepDialog } from './dialog.ts';
import { Draft } from './draft.ts';
import { type BannerFacts, type Bottom, renderFrame, type View } from './frame.ts';
import type { Item } from './items.ts';
import type { Knobs } from './knobs.ts';
import { type Panel, panelRows } from './panels.ts';
import type { Terminal } from './terminal.ts';
import type { Wording } from './wording.ts';

const FRAMES = '⣾⣽⣻⢿⡿⣟⣯⣷';
const REDRAW_MS = 100;

export type Mode = '' | 'accept-edits' | 'plan';

/** What is on the screen. Draws after every change. */
export class Ui {
  readonly draft = new Draft();
  readonly keys: BoxKeys;
  readonly queued: string[] = [];
  readonly tasks = new Map<number, string>();
  items: Item[] = [];
  artifacts: string[] = [];
  survey: View['survey'] = 'none';
  panel: Panel | undefined;
  mode: Mode = '';
  isBoxShown = false;
  modelKnown = true;
  readonly wording: Wording;
  readonly #terminal: Terminal;
  readonly #facts: BannerFacts;
  #verb: string | undefined;
  #tick = 0;
  #ticker: NodeJS.Timeout | undefined;
  #open: { dialog: Dialog; answer(step: Step): void } | undefined;
  #onChange: () => void = () => {};

  constructor(terminal: Terminal, knobs: Knobs, facts: BannerFacts, wording: Wording) {
    this.#terminal = terminal;
    this.#facts = facts;
    this.wording = wording;
    this.keys = new BoxKeys(this.draft, knobs.pasteSettleMs);
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  get dialogOpen(): boolean {
    return this.#open !== undefined;
  }

  get busy(): boolean {
    return this.#verb !== undefined;
  }

  /** @returns A function that puts another in its place. */
  show(item: Item): (changed: Item) => void {
    let current = item;
    this.items.push(current);
    this.draw();
    return (changed) => {
      this.items = this.items.map((each) => (each === current ? changed : each));
      current = changed;
      this.draw();
    };
  }

  /** @param verb - What the spinner says; none: it rests. */
  setBusy(verb: string | undefined): void {
    this.#verb = verb;
    clearInterval(this.#ticker);
    this.#ticker = verb === undefined ? undefined : setInterval(() => this.#spin(), REDRAW_MS);
    this.draw();
  }

  #spin(): void {
    this.#tick++;
    this.draw();
  }

  /** Shows a dialog until something but its own changes happens. */
  ask(dialog: Dialog, signal?: AbortSignal): Promise<Step> {
    return new Promise((resolve) => {
      const answer = (step: Step) => {
        this.#open = undefined;
        this.draw();
        resolve(step);
      };
      this.#open = { dialog, answer };
      signal?.addEventListener('abort', () => answer({ kind: 'cancelled' }), { once: true });
      this.draw();
    });
  }

  /** Gives a key to the open dialog. */
  step(event: InputEvent): void {
    const open = this.#open;
    const step = open && stepDialog(open.dialog, event);
    if (open === undefined || step === undefined) return;
    const pages = open.dialog.id === 'question' || open.dialog.id === 'words';
    if (step.kind === 'changed') open.dialog = step.dialog;
    else if (pages || (step.kind !== 'next' && step.kind !== 'back')) open.answer(step);
    this.draw();
  }

  draw(): void {
    this.#terminal.draw(renderFrame(this.#view(), this.#terminal.size));
    this.#onChange();
  }

  #view(): View {
    const { wording } = this;
    const isAsking = this.#open !== undefined || this.panel !== undefined;
    const frame = FRAMES[this.#tick % FRAMES.length] ?? '⣾';
    const spins = this.#verb !== undefined && !isAsking;
    return {
      items: this.items,
      bottom: this.#bottom(),
      ...(spins ? { spinner: `${frame}${wording.spinnerGap}${this.#verb}...` } : {}),
      ...(spins && this.#tick > 20
        ? { tip: 'Use /resume to go on with an earlier conversation' }
        : {}),
      queued: this.queued,
      artifacts: this.artifacts.length,
      tasks: [...this.tasks.values()],
      survey: isAsking ? 'none' : this.survey,
      hint: this.#hint(),
      mode: this.mode,
      model: this.modelKnown ? wording.model : '',
      wording,
      facts: this.#facts,
    };
  }

  #bottom(): Bottom {
    if (this.#open) return { kind: 'dialog', dialog: this.#open.dialog };
    const { cols } = this.#terminal.size;
    if (this.panel) {
      return { kind: 'panel', rows: panelRows(this.panel, cols, this.#facts.version) };
    }
    if (!this.isBoxShown) return { kind: 'nothing' };
    const { popup } = this.keys;
    const sign = this.draft.isShell ? '!' : '>';
    return { kind: 'box', sign, draft: this.draft.shown, ...(popup ? { popup } : {}) };
  }

  #hint(): string {
    if (this.#open) return this.#open.dialog.footer === 'cancel' ? 'esc to cancel' : '';
    if (this.panel) return this.panel.footer === 'cancel' ? 'esc to cancel' : '';
    if (this.keys.isArmed(Date.now())) return 'press ctrl+c again to exit';
    if (this.draft.isShell) return ' activated bash mode · esc to cancel';
    if (this.keys.popup) return 'esc to cancel';
    if (this.queued.length > 0) return '  Press up to edit queued messages';
    if (this.busy) return 'esc to cancel';
    return this.draft.empty ? '? for shortcuts' : '';
  }
}
