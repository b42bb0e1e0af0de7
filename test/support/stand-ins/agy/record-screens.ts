import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../until.ts';
import { buildStandIns } from '../build.ts';
import type { Act, Scene } from './scenes.ts';
import { scenesOfDialogs } from './scenes-of-dialogs.ts';
import { scenesOfTurns } from './scenes-of-turns.ts';
import { agyVersion } from './version.ts';

const NEWEST = '1.3';
const ALL_WIDTHS = [60, 80, 120, 140, 200];
const ROWS = 40;
const AT_ONCE = 3;

interface Take {
  readonly scene: Scene;
  readonly version: string;
  readonly cols: number;
}

/** Core scenes everywhere; those about words once for each version; all of the newest wide and narrow. */
function allTakes(): readonly Take[] {
  const scenes = [...scenesOfTurns, ...scenesOfDialogs];
  return ['1.0', '1.1', '1.2', NEWEST].flatMap((version) =>
    scenes.flatMap((scene) =>
      ALL_WIDTHS.filter((cols) => isWanted(scene, version, cols)).map((cols) => ({
        ...{ scene, version, cols },
      })),
    ),
  );
}

function isWanted({ spread }: Scene, version: string, cols: number): boolean {
  if (version === NEWEST) return spread === 'core' || cols === 140 || cols === 60;
  return cols === 140 ? spread !== 'one' : spread === 'core' && cols === 60;
}

/**
 * Draws every scene with the stand-in in a real tmux, and stores what the terminal shows with what it means.
 *
 * @param root - The repository.
 * @param only - A part of the scenes' names.
 */
export async function recordScreens(root: string, only = ''): Promise<number> {
  const built = join(root, '.cache', 'stand-ins');
  buildStandIns(root, built);
  const takes = allTakes().filter(({ scene }) => scene.name.includes(only));
  const waiting = [...takes.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, take] = next;
      await record(take, number, built, join(root, 'test/fixtures/screens/agy'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return takes.length;
}

async function record(
  { scene, version, cols }: Take,
  number: number,
  built: string,
  out: string,
): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mam-scene-')));
  const socket = join(folder, 'tmux.sock');
  const tmux = (args: readonly string[], input?: string) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args], {
      ...{ encoding: 'utf8', env: environment(scene, version, folder) },
      ...(input === undefined ? {} : { input }),
    });
  try {
    prepareHome(scene, folder);
    const size = ['-x', String(cols), '-y', String(ROWS), '-c', join(folder, 'ws')];
    // What an ended program leaves on the screen is looked at too.
    const run = 'agy "$@"; while sleep 60; do :; done';
    const argv = ['sh', '-c', run, 'sh', ...(scene.args ?? [])];
    tmux(['new-session', '-d', ...size, ...argv]);
    for (const act of scene.acts) await perform(act, tmux, `${scene.name} ${version} ${cols}`);
    const { text, cursor } = await stillScreen(tmux);
    const { text: full, minor } = agyVersion(scene.knobs?.VERSION ?? version);
    const target = join(out, agyVersion(version).text, `${scene.name}-${cols}`);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'screen.txt'), text);
    const expected = { cols, cursor, ...scene.expected({ cols, minor }) };
    writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
    process.stdout.write(`${number} ${full} ${scene.name} ${cols}\n`);
  } finally {
    tmux(['kill-server']);
    rmSync(folder, { recursive: true, force: true });
  }

  function environment({ knobs = {} }: Scene, wanted: string, home: string) {
    const own = Object.entries(knobs).map(([name, value]) => [`STUB_AGY_${name}`, value]);
    return {
      ...{ PATH: `${join(built, 'bin')}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' },
      ...{ TERM: 'xterm-256color', STUB_AGY_PASTE_SETTLE_MS: '0', STUB_AGY_READY_MS: '50' },
      ...{ STUB_AGY_VERSION: wanted, ...Object.fromEntries(own) },
    };
  }
}

function prepareHome({ start }: Scene, folder: string): void {
  const state = join(folder, '.gemini', 'antigravity-cli');
  mkdirSync(state, { recursive: true });
  mkdirSync(join(folder, 'ws'));
  const settings = {
    ...(start === 'first-run' ? {} : { onboardingComplete: true }),
    ...(start === 'untrusted' ? {} : { trustedWorkspaces: [join(folder, 'ws')] }),
  };
  writeFileSync(join(state, 'settings.json'), JSON.stringify(settings));
}

type Tmux = (args: readonly string[], input?: string) => string;

async function perform(act: Act, tmux: Tmux, what: string): Promise<void> {
  if ('keys' in act) for (const key of act.keys) tmux(['send-keys', key]);
  else if ('paste' in act) {
    tmux(['load-buffer', '-'], act.paste);
    tmux(['paste-buffer', '-p', '-r', '-d']);
  } else {
    const shows = () => act.see.test(tmux(['capture-pane', '-p']));
    await until(`${what}: ${act.see}`, shows);
  }
}

/** Two looks that agree, but for the spinner. */
async function stillScreen(tmux: Tmux) {
  const look = () => {
    const text = tmux(['capture-pane', '-e', '-p']);
    const [x = 0, y = 0] = tmux(['display-message', '-p', '#{cursor_x} #{cursor_y}'])
      .split(' ')
      .map(Number);
    return { text, cursor: { x, y } };
  };
  const withoutSpinner = ({ text }: { text: string }) => text.replace(/[\u2801-\u28ff]/gu, '*');
  let last = look();
  await until('the screen is still', () => {
    const now = look();
    const isStill = withoutSpinner(now) === withoutSpinner(last);
    last = now;
    return isStill;
  });
  return last;
}
