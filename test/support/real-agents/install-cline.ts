import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { runAsUser } from './as-user.ts';
import { ensureInstalled } from './npm-install.ts';

export const CLINE_VERSION = '3.0.65';

/**
 * What `npm install -g cline` puts on PATH: a script for Node, which runs the platform's own program. The
 * 250 MB of libraries that npm would add are for other programs.
 */
export function ensureCline(): Promise<string> {
  const native = `@cline/cli-${process.platform}-${process.arch}`;
  const cli = { name: 'cline', package: native, version: CLINE_VERSION };
  return ensureInstalled({ ...cli, complete: addScript, findProgram, runsForUser });
}

async function addScript(folder: string): Promise<void> {
  const spec = `cline@${CLINE_VERSION}`;
  await execa('npm', ['pack', '--pack-destination', folder, spec], { cwd: folder });
  const target = join(folder, 'node_modules', 'cline');
  await mkdir(target);
  const archive = join(folder, `cline-${CLINE_VERSION}.tgz`);
  await execa('tar', ['-xzf', archive, '-C', target, '--strip-components=1', '--no-same-owner']);
}

function findProgram(target: string): Promise<string | undefined> {
  return realpath(join(target, 'node_modules', 'cline', 'bin', 'cline')).catch(() => undefined);
}

/** `--version` takes 3 s. */
async function runsForUser(program: string): Promise<boolean> {
  const env = { PATH: '/usr/bin:/bin' };
  const { exitCode } = await runAsUser(['test', '-x', program], { env, cwd: '/' });
  return exitCode === 0;
}
