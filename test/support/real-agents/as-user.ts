import { execa } from 'execa';

/** Real agent CLIs never run as root here: users do not either, and some refuse to. */
export const USER_ID = process.getuid?.() === 0 ? 1000 : (process.getuid?.() ?? 1000);

/** A command line that runs `argv` as the ordinary user with exactly this environment. */
export function userArgv(argv: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const bare = ['env', '-i', ...assignments, ...argv];
  if (process.getuid?.() !== 0) return bare;
  const id = String(USER_ID);
  return ['setpriv', '--reuid', id, '--regid', id, '--clear-groups', ...bare];
}

export interface UserRun {
  /** Undefined when a signal ended it, or the time was up. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as the ordinary user and waits for its end. Any exit code is a result. */
export async function runAsUser(
  argv: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
    readonly timeoutMs?: number;
  },
): Promise<UserRun> {
  const [program = 'env', ...args] = userArgv(argv, options.env);
  const result = await execa(program, args, {
    reject: false,
    cwd: options.cwd ?? '/',
    input: options.input ?? '',
    timeout: options.timeoutMs ?? 60_000,
    stripFinalNewline: false,
  });
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}
