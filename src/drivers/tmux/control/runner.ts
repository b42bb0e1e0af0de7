import { runTmux, type TmuxClientOptions, type TmuxResult, type TmuxRunner } from '../client.ts';
import { KEEPER } from '../keeper.ts';
import { assertOwnFolder, COLS, ROWS } from '../server-config.ts';
import { commandLine } from './command-line.ts';
import { type ConnectionEnd, ConnectionLostError, ControlConnection } from './connection.ts';

export interface ControlRunnerEvents {
  /** Something changed on the server. */
  onNotice(name: string): void;
  onEnd(end: ConnectionEnd): void;
}

/**
 * Runs command lists over one control connection, and without one, or where a list cannot travel on it,
 * by a process each. The connection is made by `connect` alone.
 */
export class ControlRunner implements TmuxRunner, Disposable {
  readonly #options: TmuxClientOptions;
  readonly #events: ControlRunnerEvents;
  #connection: ControlConnection | undefined;
  #connecting: Promise<boolean> | undefined;

  constructor(options: TmuxClientOptions, events: ControlRunnerEvents) {
    this.#options = options;
    this.#events = events;
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true && this.#connecting === undefined;
  }

  /**
   * Attaches to the keeper session, making it where it is not there; never a server. Not while anybody
   * makes or ends a session (docs/decisions/0014).
   *
   * @returns Whether the server has answered on the connection.
   */
  async connect(): Promise<boolean> {
    if (this.isConnected) return true;
    this.#connecting ??= this.#attachAlone().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #attachAlone(): Promise<boolean> {
    if (this.#connection?.lingers) return false;
    const { gate } = this.#options;
    if (!gate) return this.#attach();
    using alone = gate.tryAlone();
    return alone ? this.#attach() : false;
  }

  async #attach(): Promise<boolean> {
    assertOwnFolder(this.#options.socket);
    const connection = new ControlConnection(this.#options, keeperCommand(), {
      onNotice: (name) => this.#events.onNotice(name),
      onEnd: (end) => this.#events.onEnd(end),
    });
    this.#connection = connection;
    try {
      const { code } = await connection.run(`set-option -w -t =${KEEPER}: window-size manual`);
      if (code !== 0) connection.close();
      return code === 0;
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      return false;
    }
  }

  /** @throws {MamError} As `runTmux`. */
  async run(args: readonly string[]): Promise<TmuxResult> {
    const line = commandLine(args);
    if (line === undefined || !this.#connection?.isOpen) return runTmux(this.#options, args);
    try {
      return await this.#connection.run(line);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      // Only lists come here that look, or that do the same a second time.
      return runTmux(this.#options, args);
    }
  }

  /** The server and the keeper stay. */
  [Symbol.dispose](): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function keeperCommand(): readonly string[] {
  const size = ['-x', String(COLS), '-y', String(ROWS)];
  // `no-output`: with it a busy pane costs the server a third (docs/performance.md).
  const flags = ['-f', 'ignore-size,no-output'];
  return ['new-session', '-A', '-s', KEEPER, ...size, ...flags, 'exec sleep 2147483647'];
}
