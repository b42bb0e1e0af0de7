import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProgramRunner } from '../../ports/program-runner.ts';

const MAX_OUTPUT_BYTES = 1_000_000;

/** execa is loaded when the first program runs: readers never pay for it. */
export const nodeProgramRunner: ProgramRunner = {
  which(program, env) {
    if (isAbsolute(program)) return isExecutable(program) ? program : undefined;
    return (env.PATH ?? '')
      .split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .map((folder) => join(folder, program))
      .find(isExecutable);
  },

  async run(argv, { env, cwd, timeoutMs, signal }) {
    const { execa } = await import('execa');
    const [file, ...args] = argv;
    if (file === undefined) throw new TypeError('empty argument list');
    const child = execa(file, args, {
      env,
      extendEnv: false,
      cwd,
      stdin: 'ignore',
      detached: true,
      cleanup: false,
      reject: false,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    let timedOut = false;
    const onAbort = () => killGroup(child.pid);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child.pid);
    }, timeoutMs);
    try {
      const result = await child;
      if (signal?.aborted) throw signal.reason;
      return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr, timedOut };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  },
};

/** The group is ours: the program was started detached, as its leader, and is not reaped yet. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
