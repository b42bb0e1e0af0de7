import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Real tests run the bundles: the shipped one, and the one with places where a test stops it. */
export default function setup(): void {
  delete process.env.TMUX;
  delete process.env.TMUX_PANE;
  for (const args of [[], ['--crash']]) {
    execFileSync(process.execPath, ['scripts/build.mjs', ...args], { cwd: root, stdio: 'inherit' });
  }
}
