import { access, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runAsUser } from './as-user.ts';
import { ensureInstalled } from './npm-install.ts';

/** Newest when this was written, and the one that plain `npm install` picks on Node 20. */
export type ClaudeVersion = '2.1.332' | '2.1.197';

/** The program of Claude Code; see `ensureInstalled`. */
export function ensureClaude(version: ClaudeVersion): Promise<string> {
  const name = 'claude';
  const cli = { name, package: '@anthropic-ai/claude-code', version, findProgram, runsForUser };
  return ensureInstalled(cli);
}

/** Its postinstall only copies the program of the platform's own package; that one is used as it is. */
async function findProgram(target: string): Promise<string | undefined> {
  const scope = join(target, 'node_modules', '@anthropic-ai');
  const packages = await readdir(scope).catch((): string[] => []);
  // With both C libraries' packages present the one for glibc comes first.
  for (const name of packages.filter((entry) => entry.startsWith('claude-code-')).sort()) {
    const program = join(scope, name, 'claude');
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

async function runsForUser(program: string): Promise<boolean> {
  const env = { HOME: tmpdir(), PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const { exitCode, stdout } = await runAsUser([program, '--version'], { env, cwd: '/' });
  return exitCode === 0 && stdout.includes('Claude Code');
}
