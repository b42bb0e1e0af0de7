import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { hookEvents, hookFiles } from './hook-files.ts';

const root = mkdtempSync(join(tmpdir(), "mam cline's-"));
afterAll(() => rmSync(root, { recursive: true }));

const payload = '{"hookName":"tool_call","text":"it\'s \\n \\u00e4"}';
let launchDir = '';
let userHooks = '';

beforeEach(() => {
  const folder = mkdtempSync(`${root}/`);
  launchDir = `${folder}/launch`;
  userHooks = `${folder}/.cline/hooks`;
  const hookScript = `${launchDir}/hook`;
  for (const { name, content } of hookFiles({ folder: 'cline', launchDir, hookScript, userHooks }))
    put(`${launchDir}/${name}`, content);
  // Stands for mam's own: it tells which event it got, and the whole payload.
  put(hookScript, `cat >"\${0%/*}/told.$1"\n`);
});

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** As Cline does: the program from the first line, the payload on standard input. */
function fire(event: string) {
  const result = spawnSync('sh', [`${launchDir}/cline/hooks/${event}`], {
    input: payload,
    encoding: 'utf8',
  });
  const told = readFileSync(`${launchDir}/told.${event}`, 'utf8');
  return { status: result.status, said: result.stdout, wrong: result.stderr, told };
}

const quiet = { status: 0, said: '', wrong: '', told: payload };

describe('the hook of an event', () => {
  it.each(hookEvents)('tells mam of %s, and is silent without a hook of the user', (event) => {
    expect(fire(event)).toEqual(quiet);
  });

  it('has the first line by which Cline finds its program', () => {
    expect(readFileSync(`${launchDir}/cline/hooks/TaskStart`, 'utf8')).toMatch(/^#!\/bin\/sh\n/);
  });

  it.each(['PreToolUse', 'pretooluse.sh', 'PRETOOLUSE.bash', 'PreToolUse.py', 'PreToolUse.mjs'])(
    "runs the user's %s, with the same input, and passes on what it says",
    (name) => {
      put(`${userHooks}/${name}`, scriptFor(name));
      expect(fire('PreToolUse')).toEqual({
        ...quiet,
        status: 3,
        said: `got ${payload}`,
        wrong: 'w',
      });
      expect(readdirSync(launchDir).sort()).toEqual(['cline', 'hook', 'told.PreToolUse']);
    },
  );

  it('takes the program from the first line before the ending', () => {
    put(`${userHooks}/PreToolUse.py`, '#!/usr/bin/env bash\n[[ -n $BASH ]] && echo "$0"\n');
    expect(fire('PreToolUse').said).toBe(`${userHooks}/PreToolUse.py\n`);
  });

  it('runs none of another event, of another ending, in a folder or behind a link', () => {
    const wrong = 'echo wrong\n';
    put(`${userHooks}/TaskStart`, wrong);
    put(`${userHooks}/PreToolUse.txt`, wrong);
    put(`${userHooks}/PreToolUse.md.sh`, wrong);
    put(`${userHooks}/PreToolUse.d/PreToolUse`, wrong);
    symlinkSync(`${userHooks}/TaskStart`, `${userHooks}/PreToolUse`);
    expect(fire('PreToolUse')).toEqual(quiet);
  });

  it('runs several in their order: the one that cancels has the word', () => {
    put(`${userHooks}/PreToolUse`, 'echo \'{"context":"a"}\'\n');
    put(`${userHooks}/PreToolUse.bash`, 'cat >/dev/null; echo \'{"cancel": true}\'\n');
    put(`${userHooks}/PreToolUse.sh`, 'echo \'{"context":"b"}\'\n');
    expect(fire('PreToolUse').said).toBe('{"cancel": true}\n');
    rmSync(`${userHooks}/PreToolUse.bash`);
    expect(fire('PreToolUse').said).toBe('{"context":"b"}\n');
  });

  it('lets nobody else read what passes through it', () => {
    const folder = launchDir.replaceAll("'", "'\\''");
    put(`${userHooks}/TaskStart`, `ls -l '${folder}'\n`);
    put(`${userHooks}/TaskStart.sh`, 'exit 0\n');
    expect(fire('TaskStart').said).toMatch(/^-rw------- .* payload\./m);
  });

  it('is read by every shell', () => {
    for (const name of ['run-hooks', 'hooks/TaskStart'])
      execFileSync('sh', ['-n', `${launchDir}/cline/${name}`]);
  });
});

/** Says what it got, complains, and ends with 3. */
function scriptFor(name: string): string {
  if (name.endsWith('.py'))
    return 'import sys\nprint("got " + sys.stdin.read(), end="")\nsys.stderr.write("w")\nsys.exit(3)\n';
  if (name.endsWith('.mjs'))
    return 'import fs from "node:fs";process.stdout.write("got "+fs.readFileSync(0));process.stderr.write("w");process.exitCode=3;\n';
  return 'printf "got "; cat; printf w >&2; exit 3\n';
}
