import { appendFileSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Frame, Size } from './frame.ts';

export interface TerminalListener {
  onInput(chunk: Buffer): void;
  onResize(): void;
  /** The terminal is gone: end of input, or an error while reading. */
  onGone(): void;
}

/** The terminal that the agent runs in: raw input, bracketed paste, whole-screen drawing. */
export class Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #logFile: string | undefined;

  /** @param logFile - Gets every read as one JSON line `{at, hex}`. */
  constructor(input: ReadStream, output: WriteStream, logFile: string | undefined) {
    this.#input = input;
    this.#output = output;
    this.#logFile = logFile;
  }

  get size(): Size {
    return { cols: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  open(listener: TerminalListener): void {
    // A terminal that went away fails every write; the end of input tells us.
    this.#output.on('error', () => {});
    this.#output.on('resize', () => listener.onResize());
    if (this.#input.isTTY) this.#input.setRawMode(true);
    this.#output.write('\x1b[?2004h\x1b[H\x1b[2J');
    this.#input.on('data', (chunk: Buffer) => {
      this.#log(chunk);
      listener.onInput(chunk);
    });
    this.#input.on('end', () => listener.onGone());
    this.#input.on('error', () => listener.onGone());
  }

  /** One write; rows are cleared before they are written, and nothing wraps by itself. */
  draw(frame: Frame): void {
    const rows = frame.rows.map((row, y) => `\x1b[${y + 1};1H\x1b[2K${row}\x1b[0m`);
    const below =
      frame.rows.length < this.size.rows ? `\x1b[${frame.rows.length + 1};1H\x1b[J` : '';
    const cursor = `\x1b[${frame.cursor.y + 1};${frame.cursor.x + 1}H`;
    this.#output.write(`\x1b[?25l\x1b[?7l${rows.join('')}${below}\x1b[?7h${cursor}\x1b[?25h`);
  }

  /** Gives the terminal back as it was, with a last line below what was drawn. */
  close(frame: Frame, lastLine: string): void {
    const below = Math.min(frame.rows.length + 1, this.size.rows);
    this.#output.write(`\x1b[?2004l\x1b[${below};1H\r\n${lastLine}\r\n`);
    if (this.#input.isTTY) this.#input.setRawMode(false);
    this.#input.pause();
  }

  #log(chunk: Buffer): void {
    if (this.#logFile === undefined) return;
    const line = JSON.stringify({ at: new Date().toISOString(), hex: chunk.toString('hex') });
    appendFileSync(this.#logFile, `${line}\n`, { mode: 0o600 });
  }
}
