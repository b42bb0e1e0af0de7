import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { runAsUser } from './as-user.ts';
import { ensureInstalled } from './npm-install.ts';

export const GEMINI_VERSION = '0.61.0';

/** The script of Gemini CLI; see `ensureInstalled`. */
export function ensureGemini(): Promise<string> {
  const cli = { name: 'gemini', package: '@google/gemini-cli', version: GEMINI_VERSION };
  return ensureInstalled({ ...cli, findProgram, runsForUser });
}

function findProgram(target: string): Promise<string | undefined> {
  return realpath(join(target, 'node_modules', '.bin', 'gemini')).catch(() => undefined);
}

/** `--version` takes 3 s. */
async function runsForUser(program: string): Promise<boolean> {
  const env = { PATH: '/usr/bin:/bin' };
  const { exitCode } = await runAsUser(['test', '-x', program], { env, cwd: '/' });
  return exitCode === 0;
}
