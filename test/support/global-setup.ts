import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { endRun, makeRunFolder, reapDeadRuns } from './run-folder.ts';
import { buildStandIns } from './stand-ins/build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Real tests run bundles: the shipped one, and the one with places where a test stops it. Each run has
 * its own, so that two runs at once do not pull the files from under each other; and one folder for
 * everything temporary, so that what a killed run left is found by the next one.
 */
export default function setup(): () => void {
  delete process.env.TMUX;
  delete process.env.TMUX_PANE;
  // The first of the projects makes all of it; they are one run.
  if (process.env.MAM_TEST_DIST) return () => {};
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'test-dist-'));
  // Some tests run it as an ordinary user.
  chmodSync(folder, 0o755);
  process.env.MAM_TEST_DIST = folder;
  for (const [kind, flags] of [
    ['shipped', []],
    ['crash', ['--crash']],
  ] as const) {
    const args = ['scripts/build.mjs', ...flags, '--outdir', join(folder, kind)];
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  }
  buildWorkers(join(folder, 'crash', 'workers'));
  buildStandIns(root, join(folder, 'stand-ins'));
  const endOfRun = useRunFolder();
  return () => {
    rmSync(folder, { recursive: true, force: true });
    endOfRun();
  };
}

function useRunFolder(): () => void {
  const parent = tmpdir();
  reapDeadRuns(parent);
  const folder = makeRunFolder(parent);
  Object.assign(process.env, { MAM_TEST_RUN: folder, TMPDIR: folder });
  return () => endRun(folder);
}

/** Processes that tests start beside the CLI. */
function buildWorkers(outdir: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['registry-worker', 'monitor-turns'].map(
      (name) => `test/support/workers/${name}.ts`,
    ),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3'],
    define: { __MAM_CRASH_POINTS__: 'true' },
    // Packages written as CommonJS ask for node's own modules by require.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}
