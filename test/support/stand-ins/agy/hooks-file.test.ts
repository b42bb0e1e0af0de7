import { describe, expect, it } from 'vitest';
import { parseHooks } from './hooks-file.ts';

const flat = { type: 'command', command: 'true', timeout: 10 };
const parse = (file: unknown) => parseHooks(JSON.stringify(file));

describe('parseHooks', () => {
  it('reads flat handlers, and groups with a matcher for tools', () => {
    const hooks = parse({
      mam: {
        Stop: [flat],
        PreToolUse: [{ matcher: 'run_.*', hooks: [flat] }],
        Notification: [flat],
      },
      off: { enabled: false, Stop: [flat] },
    });
    expect([...hooks.keys()]).toEqual(['Stop', 'PreToolUse']);
    expect(hooks.get('Stop')).toEqual([{ command: 'true', timeoutS: 10 }]);
    expect(hooks.get('PreToolUse')?.[0]?.matcher?.test('run_command')).toBe(true);
    expect(hooks.get('PreToolUse')?.[0]?.matcher?.test('view_file')).toBe(false);
  });

  it.each([
    ['no object', []],
    ['a group that is no object', { mam: [] }],
    ['flat handlers for a tool', { mam: { PreToolUse: [flat] } }],
    ['a handler without a command', { mam: { Stop: [{ type: 'command' }] } }],
    ['a time-out that is no whole number', { mam: { Stop: [{ ...flat, timeout: 1.5 }] } }],
    ['one fault beside what is right', { mam: { Stop: [flat] }, x: { Stop: {} } }],
  ])('loads nothing of a file with %s', (_what, file) => {
    expect(() => parse(file)).toThrow();
  });
});
