import type { ReadStream, WriteStream } from 'node:tty';
import type { Frame, Size } from '../../../../src/demo-agent/frame.ts';

export interface TerminalListener {
  onInput(chunk: Buffer): void;
  onResize(): void;
  onGone(): void;
}

/**
 * First bytes of the real program: two queries, the alternate screen, cursor hidden, bracketed paste,
 * modifyOtherKeys, a kitty keyboard flag, home, clear. No title is set.
 */
const OPENING =
  '\x1b[?2026$p\x1b[?2027$p\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[>4;2m\x1b[=1;1u\x1b[H\x1b[2J';
const CLOSING = '\x1b[=0;1u\x1b[>4;0m\x1b[?2004l\x1b[?25h\x1b[?1049l';

/** The alternate screen of a terminal in raw mode. */
export class Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  get size(): Size {
    return { cols: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  open(listener: TerminalListener): void {
    this.#output.on('error', () => {});
    this.#output.on('resize', () => listener.onResize());
    if (this.#input.isTTY) this.#input.setRawMode(true);
    this.#output.write(OPENING);
    this.#input.on('data', (chunk: Buffer) => listener.onInput(chunk));
    this.#input.on('end', () => listener.onGone());
    this.#input.on('error', () => listener.onGone());
  }

  /** One write; nothing wraps by itself, and the cursor stays hidden. */
  draw({ rows, cursor }: Frame): void {
    const drawn = rows.map((row, y) => `\x1b[${y + 1};1H\x1b[2K${row}`).join('');
    const below = rows.length < this.size.rows ? `\x1b[${rows.length + 1};1H\x1b[J` : '';
    this.#output.write(`\x1b[?7l${drawn}${below}\x1b[?7h\x1b[${cursor.y + 1};${cursor.x + 1}H`);
  }

  /** Gives the terminal back, with some last lines on the screen that was there before. */
  close(lastLines: readonly string[]): void {
    this.#output.write(CLOSING + lastLines.map((line) => `${line}\r\n`).join(''));
    if (this.#input.isTTY) this.#input.setRawMode(false);
    this.#input.pause();
  }
}
