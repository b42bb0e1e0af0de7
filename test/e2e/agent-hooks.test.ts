import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Pty } from '../support/pty.ts';
import { bundleFolder, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const INSTALL = ['hooks', 'install', 'gemini', '--yes', '--json'];
const UNINSTALL = ['hooks', 'uninstall', 'gemini', '--yes', '--json'];
const MINE = `{
  // mine
  "theme": "dark",
  "hooks": { "AfterAgent": [ { "hooks": [ { "type": "command", "command": "beep" } ] } ] },
}
`;

function settings(bed: TestBed, text?: string): string {
  const file = join(bed.home, '.gemini', 'settings.json');
  mkdirSync(join(bed.home, '.gemini'), { recursive: true });
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

describe('mam hooks install', () => {
  it('adds to the user’s settings, once, and undoes exactly that', async () => {
    await using bed = new TestBed();
    const file = settings(bed, MINE);
    chmodSync(file, 0o640);
    const { json } = await bed.ok(INSTALL);
    expect(json).toMatchObject({ v: 1, agent: 'gemini', file, changed: true });
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('// mine');
    expect(after).toContain('"command": "beep"');
    const script = join(bed.home, '.mam/hooks/agent-hook');
    expect(after.split(script)).toHaveLength(8);
    expect(existsSync(script)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);

    expect((await bed.ok(INSTALL)).json.changed).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(after);

    expect((await bed.ok(UNINSTALL)).json.changed).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(MINE);
    expect((await bed.ok(UNINSTALL)).json.changed).toBe(false);
  });

  it('makes a file where there is none, owner-only, and removes it again', async () => {
    await using bed = new TestBed();
    await bed.ok(INSTALL);
    const file = settings(bed);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await bed.ok(UNINSTALL);
    expect(existsSync(file)).toBe(false);
  });

  it('takes only what is ours out of a file that was changed since', async () => {
    await using bed = new TestBed();
    const file = settings(bed, MINE);
    await bed.ok(INSTALL);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"dark"', '"light"'));
    await bed.ok(UNINSTALL);
    const left = readFileSync(file, 'utf8');
    expect(left).toContain('"theme": "light"');
    expect(left).toContain('"command": "beep"');
    expect(left).not.toContain('.mam/hooks');
  });

  it('follows a link, and leaves it one', async () => {
    await using bed = new TestBed();
    const real = join(bed.home, 'dotfiles.json');
    writeFileSync(real, MINE);
    mkdirSync(join(bed.home, '.gemini'));
    symlinkSync(real, join(bed.home, '.gemini', 'settings.json'));
    expect((await bed.ok(INSTALL)).json.file).toBe(real);
    expect(readFileSync(real, 'utf8')).toContain('.mam/hooks/agent-hook');
    await bed.ok(UNINSTALL);
    expect(readFileSync(real, 'utf8')).toBe(MINE);
  });

  it('shows what it would do, and does nothing without a yes', async () => {
    await using bed = new TestBed();
    const file = settings(bed, MINE);
    const shown = await bed.ok(['hooks', 'install', 'gemini', '--dry-run']);
    expect(shown.stdout).toContain('+ ');
    expect(shown.stdout).toContain('agent-hook');
    const unasked = await bed.mam(['hooks', 'install', 'gemini', '--json']);
    expect([unasked.code, unasked.json.error.code]).toEqual([2, 'usage.invalid']);
    expect(unasked.json.error.message).toContain('--yes');
    for (const [said, expected] of [
      ['n', MINE],
      ['y', undefined],
    ] as const) {
      const argv = [process.execPath, join(bundleFolder('shipped'), 'mam.js')];
      await using asked = new Pty([...argv, 'hooks', 'install', 'gemini'], {
        cwd: bed.cwd,
        env: bed.env,
      });
      await until('it asks', () => asked.output.includes('[y/N]'));
      asked.write(`${said}\r`);
      expect(await asked.end()).toBe(expected === undefined ? 0 : 1);
      if (expected === undefined) expect(readFileSync(file, 'utf8')).not.toBe(MINE);
      else expect(readFileSync(file, 'utf8')).toBe(expected);
    }
  });

  it.each([
    ['settings that are no JSON', 'gemini', '{ "a" 1 }', 10, 'line 1, column 7'],
    ['an agent that needs none', 'claude', '{}', 2, 'each start brings its own'],
    ['an agent nobody knows', 'gemin', '{}', 2, 'There is no agent'],
  ])('says what is wrong with %s, and changes nothing', async (_, agent, text, code, said) => {
    await using bed = new TestBed();
    const file = settings(bed, text);
    const result = await bed.mam(['hooks', 'install', agent, '--yes', '--json']);
    expect([result.code, result.json.error.message]).toEqual([code, expect.stringContaining(said)]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
