import { spawnSync } from 'node:child_process';
import type { TestBed } from './test-bed.ts';

/** tmux as the bed's user has it for himself: the default server of his TMUX_TMPDIR, his own settings. */
export function userTmux(
  bed: TestBed,
  ...args: readonly string[]
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('tmux', [...args], {
    env: bed.env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}
