import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Programs that stand in for agent CLIs which cannot be had, each below `folder` with a command of its name
 * in `bin`.
 *
 * @param root - The repository.
 * @param folder - Below it, where packages are found.
 */
export function buildStandIns(root: string, folder: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
  for (const name of ['agy']) {
    // Its command line names the program as the real one's does.
    const bundle = join(folder, 'lib', name);
    buildSync({
      absWorkingDir: root,
      entryPoints: [`test/support/stand-ins/${name}/main.ts`],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: ['better-sqlite3'],
      logLevel: 'warning',
    });
    const command = join(folder, 'bin', name);
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
    chmodSync(command, 0o755);
  }
}
