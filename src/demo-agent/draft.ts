const FOLD_LONGER_THAN_CHARS = 800;
const FOLD_MORE_THAN_LINES = 3;

type Segment =
  | { readonly kind: 'typed'; text: string }
  | { readonly kind: 'folded'; readonly text: string; readonly placeholder: string };

export type DraftMode = 'prompt' | 'shell';

/** What stands in the composer. The cursor is always at its end. */
export class Draft {
  #segments: Segment[] = [];
  #mode: DraftMode = 'prompt';
  #pastes = 0;
  #menu = false;
  readonly #slashMenu: boolean;

  /** @param options.slashMenu - A pasted draft that begins with `/` opens the completion menu. */
  constructor(options: { readonly slashMenu: boolean }) {
    this.#slashMenu = options.slashMenu;
  }

  get mode(): DraftMode {
    return this.#mode;
  }

  /** True while the completion menu is open; Enter then picks a row of it. */
  get menuOpen(): boolean {
    return this.#menu;
  }

  get empty(): boolean {
    return this.#mode === 'prompt' && this.#segments.every((segment) => segment.text === '');
  }

  /** Everything, folded pastes whole. */
  get text(): string {
    return this.#segments.map((segment) => segment.text).join('');
  }

  /** Everything as shown, folded pastes by their placeholder. */
  get shown(): string {
    return this.#segments
      .map((segment) => (segment.kind === 'folded' ? segment.placeholder : segment.text))
      .join('');
  }

  type(text: string): void {
    this.#append(this.#takeShellSign(text));
  }

  paste(text: string): void {
    const wasEmpty = this.empty;
    const rest = this.#takeShellSign(text);
    const lines = countNewlines(rest);
    if (rest.length > FOLD_LONGER_THAN_CHARS || lines + 1 > FOLD_MORE_THAN_LINES) {
      this.#pastes++;
      const more = lines === 0 ? '' : ` +${lines} lines`;
      const placeholder = `[Pasted text #${this.#pastes}${more}]`;
      this.#segments.push({ kind: 'folded', text: rest, placeholder });
    } else this.#append(rest);
    if (this.#slashMenu && wasEmpty && text.startsWith('/')) this.#menu = true;
  }

  /** Takes away the last character, a folded paste as a whole, the shell sign last. */
  erase(): void {
    const last = this.#segments.at(-1);
    if (last === undefined) this.#mode = 'prompt';
    else if (last.kind === 'folded') this.#segments.pop();
    else
      last.text =
        [...last.text.slice(-2)].length === 1 ? last.text.slice(0, -2) : last.text.slice(0, -1);
    if (this.#segments.at(-1)?.text === '') this.#segments.pop();
    if (this.#segments.length === 0) this.#menu = false;
  }

  closeMenu(): void {
    this.#menu = false;
  }

  clear(): void {
    this.#segments = [];
    this.#mode = 'prompt';
    this.#menu = false;
  }

  /** A `!` that comes first switches to shell mode and is no part of the text. */
  #takeShellSign(text: string): string {
    if (!this.empty || !text.startsWith('!')) return text;
    this.#mode = 'shell';
    return text.slice(1);
  }

  #append(text: string): void {
    const last = this.#segments.at(-1);
    if (last?.kind === 'typed') last.text += text;
    else if (text !== '') this.#segments.push({ kind: 'typed', text });
  }
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
