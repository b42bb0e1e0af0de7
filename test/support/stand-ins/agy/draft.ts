/** More lines, or one line of more characters, are shown as a placeholder. */
const FOLD_LINES = 16;
const FOLD_CHARS = 1_000;

interface Piece {
  text: string;
  /** Undefined for what is shown as it is. */
  readonly placeholder?: string;
}

/** What stands in the box. The cursor is always at its end. */
export class Draft {
  #pieces: Piece[] = [];
  #isShell = false;
  /** Rises over the session. */
  #pastes = 0;

  get isShell(): boolean {
    return this.#isShell;
  }

  get empty(): boolean {
    return this.#pieces.length === 0;
  }

  get text(): string {
    return this.#pieces.map(({ text }) => text).join('');
  }

  get shown(): string {
    return this.#pieces.map(({ text, placeholder }) => placeholder ?? text).join('');
  }

  /** Only a `!` that is typed first, and alone, opens bash mode. */
  type(char: string): void {
    if (char === '!' && this.empty && !this.#isShell) this.#isShell = true;
    else this.#append(char);
  }

  paste(text: string): void {
    const lines = text.split('\n').length;
    const isFolded = lines >= FOLD_LINES || (lines === 1 && text.length > FOLD_CHARS);
    // What follows a placeholder begins on a row of its own.
    if (this.#pieces.at(-1)?.placeholder !== undefined) this.#append('\n');
    if (isFolded) this.#fold(text, lines);
    else this.#append(text);
  }

  #fold(text: string, lines: number): void {
    this.#pastes++;
    const size = lines >= FOLD_LINES ? `+${lines - 1} lines` : `${text.length} chars`;
    this.#pieces.push({ text, placeholder: `[Pasted text #${this.#pastes} ${size}]` });
  }

  /** The last character, a placeholder whole, the sign of bash mode last. */
  erase(): void {
    const last = this.#pieces.at(-1);
    if (last === undefined) this.#isShell = false;
    else if (last.placeholder !== undefined) this.#pieces.pop();
    else last.text = [...last.text].slice(0, -1).join('');
    this.#dropEmpty();
  }

  /** Only the row that the cursor is on. */
  clearRow(): void {
    const last = this.#pieces.at(-1);
    if (last === undefined) return;
    if (last.placeholder !== undefined) this.#pieces.pop();
    else last.text = last.text.slice(0, last.text.lastIndexOf('\n') + 1);
    this.#dropEmpty();
  }

  clear(): void {
    this.#pieces = [];
    this.#isShell = false;
  }

  #append(text: string): void {
    const last = this.#pieces.at(-1);
    if (last && last.placeholder === undefined) last.text += text;
    else if (text !== '') this.#pieces.push({ text });
  }

  #dropEmpty(): void {
    if (this.#pieces.at(-1)?.text === '') this.#pieces.pop();
  }
}
