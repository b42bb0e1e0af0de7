import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SettingsEntry } from '../../ports/hook-installation.ts';
import { jsonSettingsEditor as editor } from './settings-editor.ts';

const MARK = '/home/u/.mam/hooks/agent-hook';
const handler = { name: 'mam', type: 'command', command: `sh '${MARK}' Start` };
const entries: readonly SettingsEntry[] = ['Start', 'End'].map((event) => ({
  path: ['hooks', event],
  how: 'append',
  value: { hooks: [{ ...handler, command: `sh '${MARK}' ${event}` }] },
}));

describe('hooks in a settings file', () => {
  it.each([
    ['a new file', undefined],
    ['a blank one', ' \n'],
    ['an empty object', '{}\n'],
  ])('come into %s', (_, text) => {
    const after = editor.add(text, entries);
    const { hooks } = JSON.parse(after);
    expect(Object.keys(hooks)).toEqual(['Start', 'End']);
    expect(hooks.Start[0].hooks[0]).toEqual(handler);
    expect(editor.has(after, MARK)).toBe(true);
    expect(JSON.parse(editor.remove(after, MARK))).toEqual({});
  });

  it('leave comments, layout and the hooks of others as they are', () => {
    const text = `{
	// my theme
	"theme": "dark", /* tabs here */
	"hooks": {
		"Start": [{ "hooks": [{ "type": "command", "command": "mine.sh" }] }],
	},
}
`;
    const after = editor.add(text, entries);
    expect(after).toContain('// my theme');
    expect(after).toContain('"theme": "dark", /* tabs here */');
    expect(after).toContain('[{ "type": "command", "command": "mine.sh" }]');
    const back = editor.remove(after, MARK);
    expect(back).toContain('{ "hooks": [{ "type": "command", "command": "mine.sh" }] }');
    expect(back).toContain('// my theme');
    expect(editor.has(back, MARK)).toBe(false);
  });

  it('go alone where a person put a handler beside them', () => {
    const both = { hooks: [{ type: 'command', command: 'mine.sh' }, handler] };
    const text = JSON.stringify({ hooks: { Start: [both] }, more: 1 });
    expect(JSON.parse(editor.remove(text, MARK))).toEqual({
      hooks: { Start: [{ hooks: [both.hooks[0]] }] },
      more: 1,
    });
  });

  it('may be one value', () => {
    const set: SettingsEntry = { path: ['mam'], how: 'set', value: { Stop: [handler] } };
    const after = editor.add('{"other":{"Stop":[]}}', [set]);
    expect(JSON.parse(after)).toEqual({ other: { Stop: [] }, mam: { Stop: [handler] } });
    expect(JSON.parse(editor.remove(after, MARK))).toEqual({ other: { Stop: [] } });
  });

  it('change nothing else, whatever is there', () => {
    const others = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/).filter((key) => key !== 'hooks'),
      fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('.mam')),
    );
    fc.assert(
      fc.property(others, (settings) => {
        const text = JSON.stringify(settings, undefined, 2);
        const after = editor.add(text, entries);
        expect(editor.add(editor.remove(after, MARK), entries)).toBe(after);
        expect(JSON.parse(editor.remove(after, MARK))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['broken text', '{\n  "a": 1,\n  "b" 2\n}', 'ColonExpected, line 3, column 7'],
    ['a list', '[]', 'NotAnObject, line 1, column 1'],
    [
      'another kind of value',
      '{"hooks":{"Start":"x"}}',
      'hooks.Start is no list, line 1, column 19',
    ],
  ])('refuse %s, and say where', (_, text, reason) => {
    expect(() => editor.add(text, entries)).toThrow(
      expect.objectContaining({
        code: 'file.unreadable',
        message: expect.stringContaining(reason),
      }),
    );
  });
});
