import { spawn, spawnSync } from 'node:child_process';
import { MamError } from '../../domain/errors.ts';
import type { HostGate } from '../../ports/gate.ts';

export interface TmuxResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TmuxClientOptions {
  /** Absolute path, or a name looked up on PATH of `env`. */
  readonly program: string;
  readonly socket: string;
  /** Read only by a client that starts the server. */
  readonly configFile: string;
  /** The whole environment of the client and of a server it starts. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Waits in place for each answer: for a process that does nothing else meanwhile. */
  readonly inPlace?: boolean;
  /** Whoever makes or ends sessions enters it; a control client attaches alone (docs/decisions/0014). */
  readonly gate?: HostGate;
}

/** Carries a command list to the server and brings its answer. */
export interface TmuxRunner {
  /** @throws {MamError} `tmux.missing`, `tmux.unreachable` */
  run(args: readonly string[]): Promise<TmuxResult>;
}

/** A process for each list. */
export function processRunner(options: TmuxClientOptions): TmuxRunner {
  return { run: (args) => runTmux(options, args) };
}

/**
 * Runs one tmux client with a command list and waits for its end.
 *
 * `-u` makes tmux keep UTF-8 in what it prints whatever the locale is; without it every character
 * outside ASCII comes back as `_` (seen with LC_ALL=C).
 *
 * @param args - The command list; a separate `;` argument separates commands.
 * @throws {MamError} `tmux.missing`, `tmux.unreachable` when there is no answer in time.
 */
export function runTmux(
  options: TmuxClientOptions,
  args: readonly string[],
  input?: string,
): Promise<TmuxResult> {
  if (options.inPlace) return runTmuxInPlace(options, args, input);
  const argv = ['-u', '-S', options.socket, '-f', options.configFile, ...args];
  return new Promise((resolve, reject) => {
    // A process group of its own: Ctrl-C ends our command, not a tmux client in the middle of a list.
    const child = spawn(options.program, argv, {
      env: { ...options.env },
      cwd: '/',
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // A frozen server holds the client's ends of the pipes: they would keep this process alive.
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
      child.unref();
      reject(noAnswer(options));
    }, options.timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => output.stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => output.stderr.push(chunk));
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(notStarted(options.program, error));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8');
      resolve({ code: code ?? 1, stdout: text(output.stdout), stderr: text(output.stderr) });
    });
    // tmux may end before it has read everything: its answer says so, not the pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * The same, waiting in place: half the start-up cost of a pipe that is read in events. For processes
 * that do nothing else meanwhile.
 */
function runTmuxInPlace(
  options: TmuxClientOptions,
  args: readonly string[],
  input?: string,
): Promise<TmuxResult> {
  const argv = ['-u', '-S', options.socket, '-f', options.configFile, ...args];
  const { status, stdout, stderr, error } = spawnSync(options.program, argv, {
    env: { ...options.env },
    cwd: '/',
    input: input ?? '',
    encoding: 'utf8',
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') {
    return Promise.reject(noAnswer(options));
  }
  if (error) return Promise.reject(notStarted(options.program, error));
  return Promise.resolve({ code: status ?? 1, stdout, stderr });
}

export function tmuxMissing(program: string, cause?: unknown): MamError {
  return new MamError(
    'tmux.missing',
    `tmux is needed and was not found (looked for ${program}).`,
    { program },
    {
      cause,
      hint: 'Debian, Ubuntu: apt-get install tmux · Fedora: dnf install tmux · or set tmux.path',
    },
  );
}

function notStarted(program: string, error: Error): MamError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES') return tmuxMissing(program, error);
  return new MamError(
    'tmux.failed',
    `Could not start ${program}: ${error.message}.`,
    {},
    { cause: error },
  );
}

function noAnswer({ socket, timeoutMs }: TmuxClientOptions): MamError {
  return new MamError(
    'tmux.unreachable',
    `The tmux server at ${socket} did not answer within ${timeoutMs} ms.`,
    { socket },
  );
}
