import { describe, expect, it } from 'vitest';
import { configSchema, settingDocs } from '../../protocol/config-schema.ts';
import { parseConfig } from './config-parser.ts';

const PATH = '/w/.mam/config.yaml';

describe('parseConfig', () => {
  it('fills in what is not said', () => {
    const settings = parseConfig('create:\n  timeout_s: 1.5\n', PATH);
    expect(settings.create).toEqual({ permissions: 'ask', trust: 'workspace', timeoutMs: 1_500 });
    expect(settings.tmux.path).toBe('tmux');
  });

  it.each([
    ['an unknown key', 'create:\n  permisions: ask\n', '2:3', 'create.permisions'],
    ['an unknown part', 'creat:\n  x: 1\n', '1:1', 'creat'],
    ['a wrong value', 'tmux:\n  path: tmux\ncreate:\n  trust: maybe\n', '4:3', '"workspace"'],
    ['a wrong type', 'create: []\n', '1:1', 'expected object'],
    ['a tab', 'create:\n\ttimeout_s: 1\n', '2:1', 'Tabs'],
    ['a key given twice', 'tmux: {path: a}\ntmux: {path: b}\n', '2:1', 'unique'],
    ['a list', '- a\n', '1:1', 'expected object'],
  ])('names line and column of %s', (_, text, where, key) => {
    expect(() => parseConfig(text, PATH)).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: expect.stringContaining(`${PATH}:${where}: `),
      }),
    );
    expect(() => parseConfig(text, PATH)).toThrow(key);
  });
});

describe('settingDocs', () => {
  it('explains exactly the keys that the schema takes', () => {
    const shape = configSchema.def.shape;
    const keys = Object.entries(shape).flatMap(([part, schema]) =>
      Object.keys(schema.def.innerType.def.shape).map((key) => `${part}.${key}`),
    );
    expect(settingDocs.map(({ key }) => key).sort()).toEqual(keys.sort());
  });
});
