import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Real tests run bundles: the shipped one, and the one with places where a test stops it. Each run has
 * its own, so that two runs at once do not pull the files from under each other.
 */
export default function setup(): () => void {
  delete process.env.TMUX;
  delete process.env.TMUX_PANE;
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
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Processes that tests start beside the CLI. */
function buildWorkers(outdir: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['test/support/workers/registry-worker.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3'],
    define: { __MAM_CRASH_POINTS__: 'true' },
    logLevel: 'warning',
  });
}
