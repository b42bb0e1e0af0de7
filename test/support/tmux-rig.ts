import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { sqliteGate } from '../../src/drivers/sqlite/gate.ts';
import type { TmuxClientOptions } from '../../src/drivers/tmux/client.ts';
import { ControlRunner } from '../../src/drivers/tmux/control/runner.ts';
import { TmuxMultiplexer } from '../../src/drivers/tmux/tmux-multiplexer.ts';
import type { NewTmuxSession } from '../../src/ports/multiplexer.ts';
import { until } from './until.ts';

export interface TmuxRigOptions {
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** `control`: over a control client, from the first session on. Default `process`. */
  readonly mode?: 'process' | 'control';
}

/** Our tmux driver on a server of its own. Its end kills the server and all that runs in it. */
export class TmuxRig implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'mam-x-'));
  readonly socket = join(this.folder, 'run', 'tmux.sock');
  readonly configFile = join(this.folder, 'run', 'tmux.conf');
  readonly client: TmuxClientOptions;
  readonly multiplexer: TmuxMultiplexer;
  readonly #env: Readonly<Record<string, string>>;
  readonly #control: ControlRunner | undefined;

  constructor(options: TmuxRigOptions = {}) {
    const marker = { MAM_TEST_RIG: this.folder };
    this.#env = { PATH: process.env.PATH ?? '', HOME: this.folder, ...marker, ...options.env };
    this.client = {
      program: options.program ?? 'tmux',
      socket: this.socket,
      configFile: this.configFile,
      env: this.#env,
      timeoutMs: options.timeoutMs ?? 10_000,
      gate: sqliteGate(`${this.socket}.gate`, systemClock),
    };
    const quiet = { onNotice: () => undefined, onEnd: () => undefined };
    this.#control = options.mode === 'control' ? new ControlRunner(this.client, quiet) : undefined;
    this.multiplexer = new TmuxMultiplexer(this.client, this.#control);
  }

  async start(name: string, script: string, ...args: readonly string[]): Promise<NewTmuxSession> {
    const place = await this.multiplexer.newSession({
      name,
      argv: ['/bin/sh', '-c', script, 'sh', ...args],
      identity: { name, role: 'creator', agent: 'demo' },
      workspaceId: 'aaaaaaaaaaaaaaaa',
      sessionId: `ses_${name.replaceAll(/[^A-Za-z0-9]/g, 'X')}`,
      launchId: launchOf(name),
    });
    await this.#control?.connect();
    return place;
  }

  /** A pane that writes every byte it is given to a file, in raw mode, and has said so. */
  async recorder(name: string): Promise<NewTmuxSession & { bytes(): string }> {
    const file = join(this.folder, `${name}.bytes`);
    const script = 'stty raw -echo; printf "\\033[?2004hready"; exec cat >"$1"';
    const place = await this.start(name, script, file);
    await until('the recorder is ready', async () => {
      const screen = await this.multiplexer.capture(place.paneId, { historyLines: 0 });
      return screen?.includes('ready');
    });
    return { ...place, bytes: () => readFileSync(file, 'utf8') };
  }

  /** Ends the control client, as the end of a monitor does. */
  async disconnect(): Promise<void> {
    this.#control?.[Symbol.dispose]();
    await until('no client is left', () => this.tmux('list-clients').stdout === '');
  }

  /** The real tmux on our server. */
  tmux(...args: readonly string[]): SpawnSyncReturns<string> {
    const env = { ...process.env, TMUX: undefined };
    return spawnSync('tmux', ['-u', '-S', this.socket, ...args], { env, encoding: 'utf8' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#control?.[Symbol.dispose]();
    this.tmux('kill-server');
    await until('nothing of the rig runs', () => this.#pids().length === 0, 3_000).catch(() => {
      for (const pid of this.#pids()) process.kill(pid, 'SIGKILL');
    });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Of every process of the rig, arguments apart by NUL. */
  commandLines(): readonly string[] {
    return this.#pids().map((pid) => readProc(`${pid}/cmdline`));
  }

  #pids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => readProc(`${name}/environ`).includes(`MAM_TEST_RIG=${this.folder}\0`))
      .map(Number);
  }
}

export function launchOf(name: string): string {
  return `01L${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, 'X')}`;
}

/** Empty for a process that has ended. */
function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
