import type { Draft } from './draft.ts';
import type { InputEvent } from './input-parser.ts';

/** What a key asks of the agent beyond a change of the draft. */
export type ComposerAction = 'submit' | 'interrupt-turn' | 'ask-to-exit' | 'exit' | undefined;

export interface ComposerKeysOptions {
  readonly absorbMs: number;
  readonly absorbCount: number;
  readonly vanishOnce: boolean;
  /** The first Enter on a command picks a row of a menu that nobody saw: the draft goes, nothing runs. */
  readonly eatCommand: boolean;
}

type ExitKey = 'interrupt' | 'end-of-input';

/** The keys of the composer: changes the draft and says what else is to be done. */
export class ComposerKeys {
  readonly #draft: Draft;
  readonly #options: ComposerKeysOptions;
  #absorbed = 0;
  #vanishes: boolean;
  #eats: boolean;
  #exitKey: ExitKey | undefined;

  constructor(draft: Draft, options: ComposerKeysOptions) {
    this.#draft = draft;
    this.#options = options;
    this.#vanishes = options.vanishOnce;
    this.#eats = options.eatCommand;
  }

  /** Shown in the footer while one more press of the same key quits. */
  get exitHint(): string | undefined {
    if (this.#exitKey === undefined) return undefined;
    return `Press ${this.#exitKey === 'interrupt' ? 'Ctrl-C' : 'Ctrl-D'} again to exit`;
  }

  /** @param busy - A turn runs: Escape and C-c interrupt it. */
  press(event: InputEvent, busy: boolean): ComposerAction {
    const exitKey = this.#exitKey;
    this.#exitKey = undefined;
    switch (event.kind) {
      case 'enter':
        return this.#enter(event);
      case 'escape':
        return this.#escape(busy);
      case 'interrupt':
      case 'end-of-input':
        return this.#pressExitKey(event.kind, exitKey, busy);
      default:
        this.#edit(event);
        return undefined;
    }
  }

  #edit(event: InputEvent): void {
    if (event.kind === 'text') this.#draft.type(event.text);
    else if (event.kind === 'paste') this.#paste(event.text);
    else if (event.kind === 'newline') this.#draft.type('\n');
    else if (event.kind === 'backspace') this.#draft.erase();
    else if (event.kind === 'clear-draft') this.#draft.clear();
  }

  #paste(text: string): void {
    if (!this.#vanishes) this.#draft.paste(text);
    this.#vanishes = false;
  }

  #enter(event: InputEvent & { kind: 'enter' }): ComposerAction {
    const draft = this.#draft;
    if (this.#absorbs(event)) {
      this.#absorbed++;
      draft.type('\n');
      return undefined;
    }
    const eats = this.#eats && draft.text.startsWith('/');
    if (!draft.menuOpen && !eats) return 'submit';
    if (eats) this.#eats = false;
    draft.clear();
    return undefined;
  }

  /** A CR too close behind a paste counts as part of it. */
  #absorbs(event: InputEvent & { kind: 'enter' }): boolean {
    if (this.#draft.empty || this.#absorbed >= this.#options.absorbCount) return false;
    return event.burst || event.pasteAgoMs < this.#options.absorbMs;
  }

  #escape(busy: boolean): ComposerAction {
    if (this.#draft.menuOpen) this.#draft.closeMenu();
    else if (busy) return 'interrupt-turn';
    return undefined;
  }

  #pressExitKey(key: ExitKey, before: ExitKey | undefined, busy: boolean): ComposerAction {
    if (!this.#draft.empty) {
      if (key === 'interrupt') this.#draft.clear();
      return undefined;
    }
    if (busy && key === 'interrupt') return 'interrupt-turn';
    if (before === key) return 'exit';
    this.#exitKey = key;
    return 'ask-to-exit';
  }
}
