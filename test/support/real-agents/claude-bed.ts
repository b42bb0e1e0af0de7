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
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { bundleFolder, type CliResult, finished, type RunOptions } from '../test-bed.ts';
import { until } from '../until.ts';
import { USER_ID, userArgv } from './as-user.ts';
import { type ClaudeVersion, ensureClaude } from './install-claude.ts';
import { makeUserHome, type UserHome, userEnv } from './user-home.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** What the bundle asks for at run time. */
const RUN_TIME_PACKAGES = ['better-sqlite3', 'bindings', 'file-uri-to-path'];

/** mam and a real Claude Code, both as the ordinary user, with a model on loopback. */
export class ClaudeBed implements AsyncDisposable {
  readonly home: UserHome;
  readonly model: ModelServer;
  readonly env: Record<string, string>;
  readonly #mam: string;
  readonly #scratch: string;

  static async open(version: ClaudeVersion): Promise<ClaudeBed> {
    const program = await ensureClaude(version);
    const home = await makeUserHome();
    const model = await startModelServer();
    const scratch = mkdtempSync(join(tmpdir(), 'mam-claude-'));
    execFileSync('chmod', ['755', scratch]);
    mkdirSync(join(scratch, 'bin'));
    symlinkSync(program, join(scratch, 'bin', 'claude'));
    const env = userEnv(home.path, model.url);
    env.PATH = `${join(scratch, 'bin')}:${env.PATH}`;
    const bed = new ClaudeBed(home, model, env, scratch);
    await bed.ok(['init']);
    return bed;
  }

  private constructor(
    home: UserHome,
    model: ModelServer,
    env: Record<string, string>,
    scratch: string,
  ) {
    this.home = home;
    this.model = model;
    this.env = env;
    this.#scratch = scratch;
    this.#mam = readableBundle(scratch);
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

  async session(name: string): Promise<SessionSeen> {
    return (await this.ok(['status', name, '--json'])).json.sessions[0];
  }

  /** A key of a person's at the session's terminal. */
  async press(name: string, key: string): Promise<void> {
    const { socket, pane_id: pane } = (await this.session(name)).tmux;
    execFileSync('tmux', ['-S', socket, 'send-keys', '-t', pane, key]);
  }

  /** Conversation files of the project, by id. */
  transcripts(): ReadonlyMap<string, string> {
    const projects = join(this.home.path, '.claude', 'projects');
    const found = new Map<string, string>();
    for (const name of readdirSync(projects, { recursive: true, encoding: 'utf8' })) {
      const id = /([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1];
      if (id) found.set(id, readFileSync(join(projects, name), 'utf8'));
    }
    return found;
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
