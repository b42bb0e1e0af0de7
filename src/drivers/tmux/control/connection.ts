import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TmuxClientOptions, TmuxResult } from '../client.ts';
import { type ControlEvent, ControlParser, ControlProtocolError } from './parser.ts';

/** Why a connection is over. `broken`: what came is not to be trusted; `silent`: a deadline passed. */
export type ConnectionEnd = 'exit' | 'lost' | 'broken' | 'silent' | 'closed';

export interface ControlHandlers {
  /** Something changed on the server; `name` as in tmux(1), CONTROL MODE. */
  onNotice(name: string, text: string): void;
  onEnd(end: ConnectionEnd): void;
}

/** No reply will come on this connection: the command may or may not have been carried out. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  readonly end: ConnectionEnd;

  constructor(end: ConnectionEnd) {
    super(`the control connection ended: ${end}`);
    this.end = end;
  }
}

/** What a client that was never attached may still say. */
const LAST_WORDS_BYTES = 64 * 1024;
/** A timer that comes this late was not late because of work. Milliseconds. */
const FROZEN_MS = 1_000;

interface Pending {
  readonly mark: string;
  deadlineMs: number;
  readonly output: string[];
  readonly errors: string[];
  readonly resolve: (result: TmuxResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One tmux client in control mode. Command lists are written one after another without waiting; each is
 * followed by a mark of its own, a word that nothing on a screen can know, and its reply is what comes
 * before that mark.
 */
export class ControlConnection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #handlers: ControlHandlers;
  readonly #timeoutMs: number;
  readonly #parser = new ControlParser();
  readonly #pending: Pending[] = [];
  #unsent: string[] | undefined = [];
  #timer: NodeJS.Timeout | undefined;
  #end: ConnectionEnd | undefined;

  /** @param attach - The command that makes this client, for example `['attach-session', '-t', '=x']`. */
  constructor(options: TmuxClientOptions, attach: readonly string[], handlers: ControlHandlers) {
    this.#handlers = handlers;
    this.#timeoutMs = options.timeoutMs;
    // `-N`: a server that has just ended must not be started again by whoever was connected to it.
    const argv = ['-N', '-u', '-S', options.socket, '-f', options.configFile, '-C', ...attach];
    // A process group of its own: Ctrl-C in our terminal is for us alone.
    const spawned = { env: { ...options.env }, cwd: '/', detached: true };
    this.#child = spawn(options.program, argv, spawned);
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    // What it says there, `no server running`, its end says as well.
    this.#child.stderr.resume();
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', () => this.#finish('lost'));
    this.#child.on('close', () => this.#finish('lost'));
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** It is over for us, and its client still lives: it could not be ended before it was attached. */
  get lingers(): boolean {
    const { exitCode, signalCode } = this.#child;
    return !this.isOpen && this.#unsent !== undefined && exitCode === null && signalCode === null;
  }

  /**
   * @param line - One command list, as `commandLine` makes it.
   * @throws {ConnectionLostError} When the connection ends before the reply, by its deadline too.
   */
  run(line: string): Promise<TmuxResult> {
    if (this.#end) return Promise.reject(new ConnectionLostError(this.#end));
    const mark = randomBytes(12).toString('hex');
    return new Promise((resolve, reject) => {
      const deadlineMs = performance.now() + this.#timeoutMs;
      this.#pending.push({ mark, deadlineMs, output: [], errors: [], resolve, reject });
      this.#write(`${line}\ndisplay-message -p ${mark}\n`);
      this.#watchDeadline();
    });
  }

  /** Ends this client; the server and its sessions stay. */
  close(): void {
    this.#finish('closed');
  }

  #take(chunk: Buffer): void {
    if (this.#end) return;
    try {
      for (const event of this.#parser.push(chunk)) this.#handle(event);
    } catch (error) {
      if (!(error instanceof ControlProtocolError)) throw error;
      this.#finish('broken');
    }
  }

  #handle(event: ControlEvent): void {
    if (event.kind === 'notice') this.#handlers.onNotice(event.name, event.text);
    else if (event.kind === 'exit') this.#finish('exit');
    else if (event.fromUs) this.#takeReply(event);
    else this.#onAttached(event.ok);
  }

  /** Lines that come before the client is attached may be carried out before that: they wait. */
  #write(lines: string): void {
    if (this.#unsent) this.#unsent.push(lines);
    else this.#child.stdin.write(lines);
  }

  /** The first reply that no line of ours asked for is that of the attach itself. */
  #onAttached(ok: boolean): void {
    if (!this.#unsent) return;
    if (!ok) {
      this.#finish('exit');
      return;
    }
    this.#child.stdin.write(this.#unsent.join(''));
    this.#unsent = undefined;
  }

  #takeReply({ ok, lines }: Extract<ControlEvent, { kind: 'reply' }>): void {
    const [pending] = this.#pending;
    if (!pending) throw new ControlProtocolError('a reply that nobody asked for');
    if (lines.length === 1 && lines[0] === pending.mark) {
      this.#pending.shift();
      this.#watchDeadline();
      pending.resolve(resultOf(pending));
    } else (ok ? pending.output : pending.errors).push(...lines);
  }

  /** One timer for the oldest: replies come in order. */
  #watchDeadline(): void {
    clearTimeout(this.#timer);
    const [oldest] = this.#pending;
    if (!oldest) return;
    const restMs = Math.max(0, oldest.deadlineMs - performance.now());
    this.#timer = setTimeout(() => this.#onDeadline(oldest), restMs);
  }

  /** A timer that comes much too late was stopped with us: the reply may have been here for long. */
  #onDeadline(oldest: Pending): void {
    const lateMs = performance.now() - oldest.deadlineMs;
    if (lateMs < FROZEN_MS) {
      this.#finish('silent');
    } else {
      oldest.deadlineMs = performance.now() + this.#timeoutMs;
      this.#watchDeadline();
    }
  }

  #endClient(): void {
    this.#child.kill('SIGKILL');
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe.destroy();
    this.#child.unref();
  }

  /**
   * A client that is killed before it is attached takes tmux's server with it (docs/decisions/0014). It
   * ends by itself at the end of its input, when somebody reads what it has to say: a few lines. Whatever
   * says more is no tmux.
   */
  #letGo(): void {
    this.#child.stdin.destroy();
    this.#child.unref();
    let restBytes = LAST_WORDS_BYTES;
    for (const pipe of [this.#child.stdout, this.#child.stderr]) {
      (pipe as Socket).unref();
      pipe.on('data', (chunk: Buffer) => {
        restBytes -= chunk.length;
        if (restBytes < 0) this.#endClient();
      });
    }
  }

  #finish(end: ConnectionEnd): void {
    if (this.#end) return;
    this.#end = end;
    clearTimeout(this.#timer);
    if (this.#unsent) this.#letGo();
    else this.#endClient();
    for (const { reject } of this.#pending.splice(0)) reject(new ConnectionLostError(end));
    this.#handlers.onEnd(end);
  }
}

/** As a client that runs once would have answered: the first error ends a list. */
function resultOf({ output, errors }: Pending): TmuxResult {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  return { code: errors.length === 0 ? 0 : 1, stdout: text(output), stderr: text(errors) };
}
