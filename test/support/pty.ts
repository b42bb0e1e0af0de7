import pty from '@lydell/node-pty';
import { until } from './until.ts';

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cols?: number;
  readonly rows?: number;
}

/** A program in a real terminal of its own. Its end kills it. */
export class Pty implements AsyncDisposable {
  readonly #process: pty.IPty;
  #output = '';
  #exit: number | undefined;

  constructor([program = '', ...args]: readonly string[], options: PtyOptions) {
    const defined = Object.entries(options.env).filter(([, value]) => value !== undefined);
    this.#process = pty.spawn(program, args, {
      cwd: options.cwd,
      env: Object.fromEntries(defined) as Record<string, string>,
      cols: options.cols ?? 100,
      rows: options.rows ?? 30,
      name: 'xterm-256color',
    });
    this.#process.onData((data) => {
      this.#output += data;
    });
    this.#process.onExit(({ exitCode }) => {
      this.#exit = exitCode;
    });
  }

  /** All that it printed so far, escape sequences included. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#process.pid;
  }

  write(keys: string): void {
    this.#process.write(keys);
  }

  /** The exit code, once it has ended. */
  end(deadlineMs?: number): Promise<number> {
    return until(
      'the program in the terminal ended',
      () => this.#exit ?? undefined,
      deadlineMs,
    ).then(Number, (error: Error) => {
      throw new Error(`${error.message}\n${this.#output}`);
    });
  }

  /** Closes the terminal, as a window manager does: everything in it gets a hang-up. */
  close(): void {
    if (this.#exit === undefined) this.#process.kill('SIGHUP');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#exit === undefined) this.#process.kill('SIGKILL');
    await until('the terminal is closed', () => this.#exit !== undefined).catch(() => undefined);
  }
}
