import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { nodeProgramRunner } from './program-runner.ts';

const LIMIT_MS = 400;
/** Far below the life of what is started, far above what a busy machine needs. */
const SOON_MS = 20_000;
const env = { PATH: process.env.PATH ?? '' };

const run = (script: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  nodeProgramRunner.run(['/bin/sh', '-c', script], {
    env,
    cwd: '/',
    timeoutMs: SOON_MS,
    ...options,
  });

/** The state letter of /proc; undefined when there is no such process. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

const isGone = (pid: number) => [undefined, 'Z', 'X'].includes(stateOf(pid));

describe('a program', () => {
  it('gives its status and what it said, and reads nothing', async () => {
    const result = await run('cat; echo out; echo err >&2; exit 3');
    expect(result).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err', timedOut: false });
  });

  it('gets its arguments and environment as they are', async () => {
    const argv = ['/bin/sh', '-c', 'printf %s "$1$X"', 'sh', '$(x) "y" \'z\'\n*'];
    const options = { env: { ...env, X: ' a b' }, cwd: '/', timeoutMs: SOON_MS };
    const { stdout } = await nodeProgramRunner.run(argv, options);
    expect(stdout).toBe('$(x) "y" \'z\'\n* a b');
  });

  it('is killed with its process group at the limit', async () => {
    const result = await run('sleep 600 & echo $!; wait', { timeoutMs: LIMIT_MS });
    expect(result).toMatchObject({ exitCode: undefined, timedOut: true });
    await until('its child is gone', () => isGone(Number(result.stdout)));
  });

  it('is not waited for past the limit when a session of its own holds the pipe', async () => {
    const result = await run('setsid sleep 600 & echo $!; wait', { timeoutMs: LIMIT_MS });
    const holder = Number(result.stdout);
    expect(result).toMatchObject({ exitCode: undefined, timedOut: true });
    expect(isGone(holder)).toBe(false);
    process.kill(holder, 'SIGKILL');
  });

  it('has its status when it had ended and only the pipe was still held', async () => {
    const result = await run('setsid sleep 600 & echo $!', { timeoutMs: LIMIT_MS });
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    process.kill(Number(result.stdout), 'SIGKILL');
  });

  it('is not waited for after an abort either', async () => {
    const abort = new AbortController();
    const started = Date.now();
    const running = run('setsid sleep 20 & wait', { timeoutMs: 600_000, signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), LIMIT_MS);
    await expect(running).rejects.toThrow('enough');
    expect(Date.now() - started).toBeLessThan(15_000);
  });

  it('is not started after an abort', async () => {
    await expect(run('exit 0', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    );
  });
});
