import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { runAsUser } from './as-user.ts';
import { ensureInstalled } from './npm-install.ts';

export const CODEX_VERSION = '0.171.0';

/** What `npm install -g @openai/codex` puts on PATH: a script for Node, which runs the native program. */
export function ensureCodex(): Promise<string> {
  const cli = { name: 'codex', package: '@openai/codex', version: CODEX_VERSION };
  return ensureInstalled({ ...cli, findProgram, runsForUser });
}

function findProgram(target: string): Promise<string | undefined> {
  const script = join(target, 'node_modules', '@openai', 'codex', 'bin', 'codex.js');
  return realpath(script).catch(() => undefined);
}

async function runsForUser(program: string): Promise<boolean> {
  const env = { PATH: '/usr/bin:/bin' };
  const { exitCode } = await runAsUser(['test', '-x', program], { env, cwd: '/' });
  return exitCode === 0;
}
