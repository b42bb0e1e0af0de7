import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isShellOwnName } from '../../src/services/fleet/start-file.ts';
import { LauncherRig, parseEnviron, requiredShells } from './launcher-rig.ts';

/** Names that mean something to one of the shells, or to the scripts between tmux and the agent. */
const specialNames = [
  ...['UID', 'EUID', 'GID', 'EGID', 'USERNAME', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'IFS', '_', 'PWD'],
  ...['OLDPWD', 'ENV', 'PS1', 'PS4', 'BASH_ENV', 'RANDOM', 'SECONDS', 'LINENO', 'OPTIND', 'SHLVL'],
  ...[
    'COLUMNS',
    'LINES',
    'HISTSIZE',
    'SAVEHIST',
    'ARGV0',
    'ERRNO',
    'FUNCNEST',
    'TTYIDLE',
    'signals',
  ],
  ...['histchars', 'ZSH_VERSION', 'BASH_VERSION', 'path', 'status', 'argv', 'options', 'fpath'],
  ...[
    'HOME',
    'LOGNAME',
    'PATH',
    'TERM',
    'LANG',
    'LC_ALL',
    'CDPATH',
    'TMOUT',
    'MAIL',
    'STTY',
    'NULLCMD',
  ],
  ...['run', 'pid', 'ticks', 'hup', 'mask', 'rc', 'clean', 'TMUX', 'TMUX_PANE', 'TERM_PROGRAM'],
];

const values = ['7', '', '$(touch pwned)', 'a[$(touch pwned)]', "it's\n\\ 日本語 \x01", '-x'];

describe.each(requiredShells)('a start file through launcher.sh with %s as sh', (shell) => {
  let rig: LauncherRig;

  beforeAll(async () => {
    rig = await LauncherRig.open({ inner: shell });
  });

  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
  });

  /** Starts `cat /proc/self/environ` in a pane of its own; returns what it printed. */
  async function environment(name: string, env: Record<string, string>) {
    const file = join(rig.root, 'logs', `${name}.environ`);
    const copy = ['/bin/dd', 'if=/proc/self/environ', `of=${file}`, 'status=none'];
    const launch = await rig.launch(name, { env, argv: copy });
    expect(await launch.end()).toBe('0 0');
    return parseEnviron(readFileSync(file, 'utf8'));
  }

  test('no name and no value breaks it, and exactly what was asked for arrives', async () => {
    for (const [n, value] of values.entries()) {
      const env = Object.fromEntries(specialNames.map((name) => [name, value]));
      const wanted = Object.entries(env).filter(([name]) => !isShellOwnName(name));
      expect(await environment(`special${n}`, env)).toEqual({
        ...Object.fromEntries(wanted),
        PWD: join(rig.root, 'work'),
      });
    }
  });

  test('any name and value arrives unchanged', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
          fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
          { maxKeys: 12 },
        ),
        async (env) => {
          const { TERM: _, ...found } = await environment(`any${runs++}`, env);
          const wanted = Object.entries(env).filter(([name]) => !isShellOwnName(name));
          expect(found).toEqual({
            ...Object.fromEntries(wanted),
            PWD: join(rig.root, 'work'),
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a start file in the reference form, which unsets and exports by itself, still works', async () => {
    const out = join(rig.root, 'logs', 'plain.out');
    const text = `rm -f -- "$run/start" || exit 70
unset TMUX TMUX_PANE
export MY_KEY='a b'
cd -- / || exit 72
exec /bin/sh -c 'echo "$MY_KEY\${TMUX-}" >"$1"; exit 9' sh '${out.replaceAll("'", `'\\''`)}'
`;
    const launch = await rig.launch('plain', { start: { text } });
    expect(await launch.end()).toBe('9 0');
    expect(readFileSync(out, 'utf8')).toBe('a b\n');
  });

  test('the start file is removed even when the program cannot be started', async () => {
    const launch = await rig.launch('removed', {
      argv: ['/no/such/program'],
      env: { S: 'secret' },
    });
    expect(await launch.end()).toBe('127 0');
    expect(launch.has('start')).toBe(false);
  });
});
