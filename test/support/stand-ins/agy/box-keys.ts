import type { InputEvent } from '../../../../src/demo-agent/input-parser.ts';
import { type CommandName, type Popup, popupFor } from './commands.ts';
import type { Draft } from './draft.ts';

/** What a key asks for beyond a change of the draft. */
export type BoxAction =
  | { readonly kind: 'submit' }
  | { readonly kind: 'command'; readonly name: CommandName }
  | { readonly kind: 'interrupt' | 'leave' | 'shortcuts' | 'cycle-mode' }
  | undefined;

/** The armed exit lapses. Milliseconds. */
const ARMED_MS = 2_000;

/** The keys of the box. */
export class BoxKeys {
  readonly #draft: Draft;
  readonly #pasteSettleMs: number;
  /** The draft began with a typed `/`: a pasted one is text. */
  #isCommand = false;
  #marked = 0;
  #armedUntilMs = Number.NEGATIVE_INFINITY;
  #escapes = 0;

  constructor(draft: Draft, pasteSettleMs: number) {
    this.#draft = draft;
    this.#pasteSettleMs = pasteSettleMs;
  }

  get popup(): (Popup & { readonly marked: number }) | undefined {
    const popup = this.#isCommand ? popupFor(this.#draft.text) : undefined;
    return popup && { ...popup, marked: Math.min(this.#marked, popup.names.length - 1) };
  }

  isArmed(nowMs: number): boolean {
    return nowMs < this.#armedUntilMs;
  }

  press(event: InputEvent, isBusy: boolean, nowMs: number): BoxAction {
    this.#escapes = event.kind === 'escape' ? this.#escapes + 1 : 0;
    switch (event.kind) {
      case 'enter':
        return this.#enter(event.pasteAgoMs);
      case 'escape':
        return this.#escape(isBusy);
      case 'interrupt':
      case 'end-of-input':
        return this.#leave(event.kind, isBusy, nowMs);
      case 'back-tab':
        return { kind: 'cycle-mode' };
      default:
        return this.#edit(event);
    }
  }

  #edit(event: InputEvent): BoxAction {
    const draft = this.#draft;
    this.#armedUntilMs = Number.NEGATIVE_INFINITY;
    if (event.kind === 'text') return this.#type(event.text);
    if (event.kind === 'paste') draft.paste(event.text);
    else if (event.kind === 'newline') draft.type('\n');
    else if (event.kind === 'backspace') draft.erase();
    else if (event.kind === 'clear-draft') draft.clearRow();
    else if (event.kind === 'up' || event.kind === 'down') this.#move(event.kind === 'up' ? -1 : 1);
    if (draft.empty) this.#isCommand = false;
    return undefined;
  }

  #type(text: string): BoxAction {
    for (const char of text) {
      const isFirst = this.#draft.empty && !this.#draft.isShell;
      if (char === '?' && isFirst) return { kind: 'shortcuts' };
      if (char === '/' && isFirst) this.#isCommand = true;
      if (char === '\t') this.#complete();
      else this.#draft.type(char);
    }
    return undefined;
  }

  #complete(): void {
    const { popup } = this;
    const name = popup?.names[popup.marked];
    if (name === undefined) return;
    this.#draft.clear();
    for (const char of name) this.#draft.type(char);
  }

  #move(by: number): void {
    const count = this.popup?.names.length ?? 0;
    if (count > 0) this.#marked = (this.#marked + by + count) % count;
  }

  #enter(pasteAgoMs: number): BoxAction {
    const { popup } = this;
    const name = popup?.names[popup.marked];
    if (name !== undefined) {
      this.#reset();
      return { kind: 'command', name };
    }
    if (this.#draft.empty) return undefined;
    if (pasteAgoMs < this.#pasteSettleMs) {
      this.#draft.type('\n');
      return undefined;
    }
    return { kind: 'submit' };
  }

  /** Twice, it empties the box. */
  #escape(isBusy: boolean): BoxAction {
    if (this.popup) this.#reset();
    else if (isBusy) return { kind: 'interrupt' };
    else if (this.#escapes >= 2) this.#reset();
    return undefined;
  }

  #leave(key: 'interrupt' | 'end-of-input', isBusy: boolean, nowMs: number): BoxAction {
    if (isBusy && key === 'interrupt') return { kind: 'interrupt' };
    if (!this.#draft.empty || this.#draft.isShell) {
      if (key === 'interrupt') this.#reset();
      return undefined;
    }
    if (this.isArmed(nowMs)) return { kind: 'leave' };
    this.#armedUntilMs = nowMs + ARMED_MS;
    return undefined;
  }

  #reset(): void {
    this.#draft.clear();
    this.#isCommand = false;
    this.#marked = 0;
  }
}
