import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProgramRunner } from '../../ports/program-runner.ts';

const MAX_OUTPUT_BYTES = 1_000_000;

/**
 * Becomes the program "$@" beside a guard in its process group. The guard reads a pipe that only we hold:
 * it closes when the program has ended, and when we are gone however we went. Then the group ends.
 */
const GUARDED = `exec 3<&0 </dev/null
(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

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
    signal?.throwIfAborted();
    const child = execa('/bin/sh', ['-c', GUARDED, 'sh', ...argv], {
      env,
      extendEnv: false,
      cwd,
      stdin: 'pipe',
      detached: true,
      cleanup: false,
      reject: false,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    let timedOut = false;
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const end = () => {
      // Once it has ended its number may be somebody else's, and the guard has ended the group.
      if (!hasEnded()) killGroup(child.pid);
      // A process that left the group may hold the other ends for as long as it likes.
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    };
    const timer = setTimeout(() => {
      timedOut = !hasEnded();
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const result = await child;
      signal?.throwIfAborted();
      return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr, timedOut };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  },
};

/** The group is ours: the program was started detached, as its leader. */
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
