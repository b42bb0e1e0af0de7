import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HookRunner, loadHooks } from './hook-runner.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('loadHooks', () => {
  it('reads the commands of each event and leaves out what has another shape', () => {
    const file = join(folder, 'settings.json');
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'a' }, {}] }, 3], SessionEnd: 1 };
    writeFileSync(file, JSON.stringify({ hooks }));
    expect([...loadHooks(file)]).toEqual([
      ['Stop', ['a']],
      ['SessionEnd', []],
    ]);
  });

  it('refuses a file that is absent or broken', () => {
    writeFileSync(join(folder, 'broken'), '{');
    expect(() => loadHooks(join(folder, 'absent'))).toThrow('Settings file not found');
    expect(() => loadHooks(join(folder, 'broken'))).toThrow('Settings file not found');
  });
});

describe('HookRunner', () => {
  it('runs hooks one after another in the order of their events', async () => {
    const out = join(folder, 'out');
    const slow = `sleep 0.2; printf slow- >>'${out}'`;
    const quick = `cat >>'${out}'`;
    const runner = new HookRunner(
      new Map([
        ['PreToolUse', [slow]],
        ['Stop', [quick]],
      ]),
    );
    void runner.fire('PreToolUse', {});
    void runner.fire('Stop', { a: 1 });
    await runner.settled();
    expect(readFileSync(out, 'utf8')).toBe('slow-{"a":1}');
  });

  it('ignores a hook that fails or does not read its input', async () => {
    const runner = new HookRunner(new Map([['Stop', ['exit 3', 'no-such-program-at-all']]]));
    await runner.fire('Stop', { long: 'x'.repeat(1_000_000) });
    await runner.settled();
  });

  it('does not wait for ever until a hook has read', async () => {
    const runner = new HookRunner(new Map([['UserPromptSubmit', ['exec sleep 1.2']]]));
    const before = performance.now();
    await runner.fire('UserPromptSubmit', { prompt: 'x'.repeat(1_000_000) });
    expect(performance.now() - before).toBeLessThan(1000);
    await runner.settled();
  });
});
