import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionSeen } from '../command-json.ts';
import type { ModelRequest, ModelServer } from '../model-server/server.ts';
import { bundleFolder, type CliResult, finished, type RunOptions } from '../test-bed.ts';
import { until } from '../until.ts';
import { USER_ID, userArgv } from './as-user.ts';
import type { UserHome } from './user-home.ts';

/** Behind a `send` that shall wait for its answer. */
export const ANSWERED = ['--wait', 'answered', '--timeout', '100', '--json'];

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** What the bundle asks for at run time. */
const RUN_TIME_PACKAGES = ['better-sqlite3', 'bindings', 'file-uri-to-path'];

export interface BedParts {
  readonly home: UserHome;
  readonly model: ModelServer;
  /** Without what finds the agent. */
  readonly env: Record<string, string>;
  /** The agent's program, and the name that it has on PATH. */
  readonly program: string;
  readonly name: string;
}

/** mam and a real agent CLI, both as the ordinary user, with a model on loopback. */
export abstract class AgentBed implements AsyncDisposable {
  readonly home: UserHome;
  readonly model: ModelServer;
  readonly env: Record<string, string>;
  /** Its name on PATH and in the registry. */
  readonly agent: string;
  readonly #mam: string;
  readonly #scratch: string;

  protected constructor({ home, model, env, program, name }: BedParts) {
    this.home = home;
    this.model = model;
    this.agent = name;
    this.#scratch = mkdtempSync(join(tmpdir(), 'mam-bed-'));
    execFileSync('chmod', ['755', this.#scratch]);
    mkdirSync(join(this.#scratch, 'bin'));
    symlinkSync(program, join(this.#scratch, 'bin', name));
    this.env = { ...env, PATH: `${join(this.#scratch, 'bin')}:${env.PATH}` };
    this.#mam = readableBundle(this.#scratch);
  }

  get cwd(): string {
    return this.home.project;
  }

  mam(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    const argv = [process.execPath, this.#mam, ...args];
    const env = { ...this.env, ...(options.env as Record<string, string>) };
    const [program = '', ...rest] = userArgv(argv, env);
    const child = spawn(program, rest, { cwd: this.cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    return finished(child, { timeoutMs: 150_000, ...options });
  }

  async ok(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    const result = await this.mam(args, options);
    if (result.code !== 0) {
      throw new Error(`mam ${args.join(' ')} → ${result.code}\n${result.stdout}${result.stderr}`);
    }
    return result;
  }

  /** @param args - More options, and what follows `--`. */
  create(name: string, args: readonly string[] = []): Promise<CliResult> {
    return this.ok([...createArgs(this.agent, name), ...args]);
  }

  /** Sends a prompt and waits for its answer. */
  ask(name: string, text: string, options: RunOptions = {}): Promise<CliResult> {
    return this.ok(['send', name, text, ...ANSWERED], options);
  }

  /** Waits until its activity is that. */
  async reaches(name: string, state: string): Promise<void> {
    await this.ok(['status', name, '--wait', state, '--timeout', '60']);
  }

  /** What the model was asked, without what the agent asks for itself. */
  requests(): readonly ModelRequest[] {
    return this.model.requests().filter(({ side }) => !side);
  }

  prompts(): readonly string[] {
    return this.requests().map(({ prompt }) => prompt);
  }

  /** Texts of the conversation that the model was given last. */
  turns(): readonly string[] {
    return (
      this.requests()
        .at(-1)
        ?.turns.map(({ text }) => text) ?? []
    );
  }

  /** What `mam doctor` says of the agent: whether each check is fulfilled, by its id. */
  async checks(): Promise<Readonly<Record<string, boolean>>> {
    const { stdout } = await this.mam(['doctor', '--agent', this.agent, '--json']);
    const checks: readonly { id: string; ok: boolean }[] = JSON.parse(stdout).checks;
    return Object.fromEntries(checks.map(({ id, ok }) => [id, ok]));
  }

  async session(name: string): Promise<SessionSeen> {
    return (await this.ok(['status', name, '--json'])).json.sessions[0];
  }

  /** A key of a person's at the session's terminal. */
  async press(name: string, key: string): Promise<void> {
    const { socket, pane_id: pane } = (await this.session(name)).tmux;
    execFileSync('tmux', ['-S', socket, 'send-keys', '-t', pane, key]);
  }

  /** A line of a person's, typed and entered once it is shown. */
  async type(name: string, text: string): Promise<void> {
    const { socket, pane_id: pane } = (await this.session(name)).tmux;
    const tmux = (...args: readonly string[]) =>
      execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
    tmux('send-keys', '-t', pane, '-l', text);
    await until(`"${text}" is shown`, () => tmux('capture-pane', '-p', '-t', pane).includes(text));
    tmux('send-keys', '-t', pane, 'Enter');
  }

  /** Conversation files of the home, by what tells them apart. */
  abstract transcripts(): ReadonlyMap<string, string>;

  /** Text of a conversation's file; undefined without any. */
  transcriptOf(conversationId: string): string | undefined {
    return this.transcripts().get(conversationId);
  }

  /** Pids of the ordinary user that belong to this home. */
  processes(): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          const state = /\) (.)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
          const environ = readFileSync(`/proc/${name}/environ`, 'utf8');
          return state !== 'Z' && environ.split('\0').includes(`HOME=${this.home.path}`);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** The command line of a process, its words parted by NUL; empty when it has just ended. */
  commandOf(pid: number): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await until('everything of the home ended', () => this.processes().length === 0);
    await this.model[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

export function createArgs(agent: string, name: string): readonly string[] {
  return ['create', name, '--agent', agent, '--role', 'creator', '--json'];
}

/** The checkout may lie where the ordinary user cannot go: then the bundle is copied. */
function readableBundle(scratch: string): string {
  const built = join(bundleFolder('shipped'), 'mam.js');
  const [program = '', ...args] = userArgv([process.execPath, built, 'status', '--help'], {});
  if (spawnSync(program, args).status === 0) return built;
  const copy = join(scratch, 'mam');
  cpSync(dirname(built), join(copy, 'dist'), { recursive: true });
  for (const name of RUN_TIME_PACKAGES) {
    const from = join(REPOSITORY, 'node_modules', name);
    cpSync(from, join(copy, 'node_modules', name), { recursive: true });
  }
  execFileSync('chown', ['-R', String(USER_ID), copy]);
  return join(copy, 'dist', 'mam.js');
}
