import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandJson, SessionSeen } from './command-json.ts';
import { until } from './until.ts';

/** Folder of a bundle that the global setup made for this run. */
export function bundleFolder(kind: 'shipped' | 'crash' | 'stand-ins'): string {
  const folder = process.env.MAM_TEST_DIST;
  if (!folder) throw new Error('run through vitest: its global setup makes the bundles');
  return join(folder, kind);
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON document on standard output. */
  readonly json: CommandJson;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Stops the process at this point, as kill -9 would (docs/testing.md). */
  readonly crashAt?: string;
  readonly timeoutMs?: number;
  /** Words before the program, for example `['prlimit', '--fsize=4096']`. */
  readonly wrap?: readonly string[];
  /** As an ordinary user: root is not stopped by permissions. */
  readonly asUser?: boolean;
}

/** Words that run a program as an ordinary user; nothing when we are one. */
export function asOrdinaryUser(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
}

/** One submission in the demo agent's own log, which is the ground truth. */
export interface Truth {
  readonly at: string;
  readonly pid: number;
  readonly conversation_id: string;
  readonly seq: number;
  readonly mode: 'prompt' | 'command' | 'shell' | 'empty';
  readonly text: string;
  readonly args?: string;
}

/**
 * A machine of its own for one test: home, workspace, environment, tmux socket. Its end kills what was
 * started in it and fails when something had outlived its session.
 */
export class TestBed implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  /** The workspace's folder; agents are started here unless told otherwise. */
  readonly cwd: string;
  readonly env: Record<string, string>;

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'mam-t-'));
    this.home = join(this.root, 'home');
    this.cwd = join(this.root, 'ws');
    for (const folder of [this.home, this.cwd, join(this.root, 'tmux')]) mkdirSync(folder);
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      USER: 'tester',
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      // The default server of whoever runs the tests cannot be reached from here.
      TMUX_TMPDIR: join(this.root, 'tmux'),
      MAM_TEST_BED: this.root,
    };
  }

  /** A bed with an initialised workspace. */
  static async open(): Promise<TestBed> {
    const bed = new TestBed();
    const { code, stderr } = await bed.mam(['init']);
    if (code !== 0) throw new Error(`mam init failed: ${stderr}`);
    return bed;
  }

  /** Runs the bundled CLI to its end. */
  mam(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    return finished(this.start(args, options), options);
  }

  /** The same, and fails the test unless the exit code is 0. */
  async ok(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    const result = await this.mam(args, options);
    if (result.code !== 0) {
      throw new Error(`mam ${args.join(' ')} → ${result.code}\n${result.stdout}${result.stderr}`);
    }
    return result;
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const bundle = bundleFolder(options.crashAt === undefined ? 'shipped' : 'crash');
    const crash = options.crashAt === undefined ? {} : { MAM_TEST_CRASH_AT: options.crashAt };
    const before = [...(options.asUser ? asOrdinaryUser() : []), ...(options.wrap ?? [])];
    const [program = '', ...rest] = [...before, process.execPath, join(bundle, 'mam.js'), ...args];
    return spawn(program, rest, {
      cwd: options.cwd ?? this.cwd,
      env: { ...this.env, ...crash, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** A session on the demo agent; `args` go to the agent itself. */
  create(name: string, args: readonly string[] = [], options: readonly string[] = []) {
    const base = ['create', name, '--agent', 'demo', '--role', 'creator', '--json'];
    return this.ok([...base, ...options, ...(args.length > 0 ? ['--', ...args] : [])]);
  }

  /** Settings of the workspace from now on. */
  configure(yaml: string): void {
    writeFileSync(join(this.cwd, '.mam', 'config.yaml'), yaml);
  }

  async session(name: string): Promise<SessionSeen> {
    const { json } = await this.ok(['status', name, '--json']);
    return json.sessions[0];
  }

  /** Makes everything in the bed the ordinary user's. */
  giveToUser(): void {
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '1000:1000', this.root]);
  }

  /** Path of this bed's tmux socket. */
  get socket(): string {
    const run = join(this.cwd, '.mam', 'run');
    const host = readdirSync(run).find((name) => existsSync(join(run, name, 'tmux.conf')));
    return join(run, host ?? 'none', 'tmux.sock');
  }

  /** tmux on our own socket, as an argument list. */
  tmux(...args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
    const argv = ['-u', '-S', this.socket, ...args];
    const result = spawnSync('tmux', argv, { env: this.env, encoding: 'utf8' });
    return { code: result.status, stdout: result.stdout, stderr: result.stderr };
  }

  /** Everything that demo agents of this bed took, oldest first; of one conversation when given. */
  truth(conversationId?: string, home = this.demoHome): readonly Truth[] {
    const folder = join(home, 'truth');
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Truth)
      .filter((line) => conversationId === undefined || line.conversation_id === conversationId)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.seq - b.seq));
  }

  get demoHome(): string {
    return join(this.home, '.mam-demo');
  }

  /** Pids of processes that belong to this bed, by the marker in their environment or their command. */
  processes(): readonly { pid: number; command: string }[] {
    const found: { pid: number; command: string }[] = [];
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const state = /\) (.)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
        if (state === 'Z') continue;
        const environ = readFileSync(`/proc/${name}/environ`, 'utf8');
        const isOurs = command.includes(this.root) || environ.includes(`=${this.root}`);
        if (isOurs) found.push({ pid: Number(name), command });
      } catch {
        // It ended between the two reads.
      }
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const round of ['SIGTERM', 'SIGKILL', 'SIGKILL'] as const) {
      for (const { pid } of this.processes()) {
        try {
          process.kill(pid, round);
        } catch {
          // It ended by itself.
        }
      }
      if (this.processes().length === 0) break;
      await until('the bed is empty', () => this.processes().length === 0, 1_500).catch(
        () => undefined,
      );
    }
    const left = this.processes();
    rmSync(this.root, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`outlived the test: ${JSON.stringify(left)}`);
  }
}

/** Waits for a started CLI and collects what it said. */
export function finished(child: ChildProcess, options: RunOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(`no end after ${options.timeoutMs ?? 110_000} ms: ${child.spawnargs.join(' ')}`),
      );
    }, options.timeoutMs ?? 110_000);
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const stdout = Buffer.concat(out).toString('utf8');
      const stderr = Buffer.concat(err).toString('utf8');
      resolve({ code, signal, stdout, stderr, json: parse(stdout) as CommandJson });
    });
  });
}

function parse(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
