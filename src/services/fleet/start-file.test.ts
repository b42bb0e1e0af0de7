import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isShellOwnName, isVariableName, renderStartFile } from './start-file.ts';

const cwd = '/';
const argv = ['/bin/cat', '/proc/self/environ'];

describe('renderStartFile', () => {
  test('says in its own text what is removed, unset and exported, without a value', () => {
    const text = renderStartFile({ cwd, argv, env: { B_KEY: 'v4lue', A_KEY: 'x' } });
    const comments = text.split('\n').filter((line) => line.startsWith('#'));
    expect(comments.join('\n')).toMatch(/Removed first: this file\. Unset: every variable/);
    expect(comments).toContain('# A_KEY B_KEY');
    expect(comments.join('\n')).not.toContain('v4lue');
    expect(text).toMatch(/^rm -f -- "\$2" \|\| exit 70$/m);
  });

  test('exports PATH and the locale last: they change how the rest is read', () => {
    const env = { LC_ALL: 'C', PATH: '/x', ZZ: '1', LANG: 'C', AA: '1' };
    const text = renderStartFile({ cwd, argv, env });
    const order = [...text.matchAll(/^export ([A-Z_]+)=/gm)].map((match) => match[1]);
    expect(order.slice(0, 2).toSorted()).toEqual(['AA', 'ZZ']);
    expect(order.slice(2).toSorted()).toEqual(['LANG', 'LC_ALL', 'PATH']);
  });

  test.each([
    ['a name with a blank', { env: { 'A B': '1' } }],
    ['an empty name', { env: { '': '1' } }],
    ['a name with code', { env: { 'A;touch x': '1' } }],
    ['a name that begins with a digit', { env: { '1A': '1' } }],
    ['a name with a newline at the end', { env: { 'A\n': '1' } }],
    ['an exported function of bash', { env: { 'BASH_FUNC_f%%': '() { :; }' } }],
    ['a NUL in a value', { env: { A: 'x\0y' } }],
    ['half of a surrogate pair', { env: { A: '\ud83d' } }],
    ['a NUL in an argument', { argv: ['/bin/cat', '\0'] }],
    ['no program', { argv: [] }],
    ['an empty program', { argv: [''] }],
    ['an option for a program', { argv: ['-c'] }],
    ['a relative directory', { cwd: 'work' }],
  ])('refuses %s', (_title, change) => {
    const request = { cwd, argv, env: {}, ...change };
    expect(() => renderStartFile(request)).toThrow(TypeError);
  });

  test('names the variable and never its value in an error', () => {
    const env = { MY_KEY: 's3cr3t\0' };
    expect(() => renderStartFile({ cwd, argv, env })).toThrow(/^MY_KEY contains a NUL$/);
  });

  test('knows the names of shells and leaves others alone', () => {
    const own = ['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'IFS', '_', 'PWD', 'OLDPWD'];
    expect(own.filter((name) => !isShellOwnName(name))).toEqual([]);
    const passed = ['ENV', 'BASH_ENV', 'PS4', 'PATH', 'HOME', 'TERM', 'SHELL', 'LC_ALL', 'KEY'];
    expect(passed.filter(isShellOwnName)).toEqual([]);
    expect(isVariableName('_a1')).toBe(true);
  });
});

describe.each(['dash', 'bash'])('a start file sourced by %s', (shell) => {
  let root: string;
  let run: string;
  let bin: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), `start, '"日$x `));
    run = join(root, 'run');
    bin = join(root, 'bin');
    for (const folder of [run, bin]) mkdirSync(folder);
    const found = (process.env.PATH ?? '').split(':').find((dir) => existsSync(join(dir, shell)));
    symlinkSync(join(found ?? '/bin', shell), join(bin, 'sh'));
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Does what launcher.sh does with it, from an environment as a tmux server may have it. */
  function start(
    request: Partial<Parameters<typeof renderStartFile>[0]>,
    options: { pathFirst?: string; keep?: boolean } = {},
  ) {
    const text = renderStartFile({ cwd, argv, env: {}, ...request });
    writeFileSync(join(run, 'start'), text, { mode: 0o600 });
    const path = [options.pathFirst ?? [], bin, process.env.PATH ?? ''].flat().join(':');
    const result = spawnSync(join(bin, 'sh'), ['-c', 'run=$1; . "$run/start"', 'sh', run], {
      env: { ...stale, PATH: path },
      cwd: root,
    });
    if (!options.keep) expect(readdirSync(run)).toEqual([]);
    return { status: result.status, stdout: result.stdout.toString(), stderr: `${result.stderr}` };
  }

  function environment(request: Partial<Parameters<typeof renderStartFile>[0]>) {
    const { status, stdout, stderr } = start(request);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return parseEnviron(stdout);
  }

  test('passes nothing of the environment it was started from, except TERM', () => {
    expect(environment({})).toEqual({ TERM: 'tmux-256color', PWD: '/' });
  });

  test("lets the agent's own TERM win", () => {
    expect(environment({ env: { TERM: 'dumb', COLORTERM: 'truecolor' } })).toEqual({
      ...{ TERM: 'dumb', COLORTERM: 'truecolor', PWD: '/' },
    });
  });

  test('passes any values and arguments unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(anyName, anyText, { maxKeys: 8 }), (env) => {
        const wanted = Object.entries(env).filter(([name]) => !isShellOwnName(name));
        expect(environment({ env })).toEqual({
          TERM: 'tmux-256color',
          ...Object.fromEntries(wanted),
          PWD: '/',
        });
      }),
      { numRuns: 150 },
    );
  });

  test('passes any arguments unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 6 }), (words) => {
        const { status, stdout } = start({ argv: ['/usr/bin/printf', '%s\\0', '-', ...words] });
        expect(status).toBe(0);
        expect(stdout.split('\0').slice(0, -1)).toEqual(['-', ...words]);
      }),
      { numRuns: 60 },
    );
  });

  test.each(specialNames)('survives %s, whatever its value', (name) => {
    for (const value of ['7', '', 'a[$(touch pwned)]', '$(touch pwned)', 'x y\nz', '-o noexec']) {
      const { status, stdout, stderr } = start({ env: { [name]: value, KEY: 'kept' } });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const { KEY: key, PWD: pwd, TERM: term, ...rest } = parseEnviron(stdout);
      expect([key, pwd]).toEqual(['kept', '/']);
      if (name === 'TERM') expect(term).toBe(value);
      else if (!['KEY', 'PWD'].includes(name)) {
        expect(rest).toEqual(isShellOwnName(name) ? {} : { [name]: value });
      }
    }
    expect(existsSync(join(root, 'pwned'))).toBe(false);
    expect(existsSync('/pwned')).toBe(false);
  });

  test('finds a program without a slash on the PATH of the agent', () => {
    const own = join(root, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'agent'), '#!/bin/sh\necho own\n', { mode: 0o755 });
    expect(start({ argv: ['agent'], env: { PATH: own } })).toMatchObject({
      status: 0,
      stdout: 'own\n',
    });
    expect(start({ argv: ['cat'], env: { PATH: own } }).status).toBe(127);
  });

  test('starts a program whose path has "="', () => {
    const folder = join(root, 'a=b');
    mkdirSync(folder);
    symlinkSync('/bin/echo', join(folder, 'echo'));
    expect(start({ argv: [join(folder, 'echo'), 'c=d'] })).toMatchObject({ stdout: 'c=d\n' });
  });

  test('runs in the directory, whatever its name', () => {
    const folder = join(root, "-w\n'x'");
    mkdirSync(folder);
    expect(start({ cwd: folder, argv: ['/bin/pwd'] }).stdout).toBe(`${folder}\n`);
    expect(environment({ cwd: folder })).toMatchObject({ PWD: folder });
  });

  test.each([
    ['70 when it cannot remove itself', 70, {}],
    ['72 when the directory is missing', 72, { cwd: '/no/such/directory' }],
    ['127 when the program is missing', 127, { argv: ['/no/such/program'] }],
    ['126 when the program may not be run', 126, { argv: ['/etc/passwd'] }],
  ])('ends with %s', (_title, status, request) => {
    if (status !== 70) {
      expect(start(request).status).toBe(status);
      return;
    }
    const stubs = join(root, 'stubs');
    mkdirSync(stubs);
    writeFileSync(join(stubs, 'rm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const result = start(request, { pathFirst: stubs, keep: true });
    expect(result).toMatchObject({ status: 70, stdout: '' });
  });
});

const stale = {
  TERM: 'tmux-256color',
  TMUX: '/tmp/x,1,0',
  TMUX_PANE: '%1',
  CLAUDECODE: '1',
  STALE: 'x\nHOME=/wrong\nPATH=/wrong',
  'BASH_FUNC_cd%%': '() { echo wrong; }',
  'not.a.name': '1',
  PS4: '$(touch pwned)',
  HOME: '/wrong',
  OLDPWD: '/wrong',
};

const specialNames = [
  ...['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'IFS', '_', 'PWD', 'OLDPWD', 'ENV', 'PS4'],
  ...['BASH_ENV', 'BASH_XTRACEFD', 'BASH_COMPAT', 'RANDOM', 'SECONDS', 'LINENO', 'OPTIND', 'SHLVL'],
  ...[
    'HOME',
    'PATH',
    'TERM',
    'LANG',
    'LC_ALL',
    'CDPATH',
    'GLOBIGNORE',
    'POSIXLY_CORRECT',
    'PROMPT_COMMAND',
  ],
  ...['run', 'clean', 'path', 'status', 'argv', 'USERNAME', 'LOGNAME', 'TMOUT', 'MAIL', 'FUNCNEST'],
];

const anyName = fc.oneof(
  fc.constantFrom(...specialNames),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,10}$/),
);

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom("'", "''", "'\\''", '"', '\\', '\n', '\r\n', '\t', '$(touch pwned)', '`id`'),
      fc.constantFrom(
        '$HOME',
        '${x',
        '!!',
        '日本語',
        'ぁあ',
        '🙂',
        '\x01',
        '\x7f',
        '\x81',
        '\\c',
        '%s',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

function parseEnviron(text: string): Record<string, string> {
  const entries = text.split('\0').filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}
