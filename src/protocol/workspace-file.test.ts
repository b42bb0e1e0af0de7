import { describe, expect, it } from 'vitest';
import { parseWorkspaceFile } from './workspace-file.ts';

const file = { v: 1, id: '0123456789abcdef', path: '/home/u/p/.mam', device: 1, inode: 2 };

describe('parseWorkspaceFile', () => {
  it('reads what we write', () => {
    expect(parseWorkspaceFile(`${JSON.stringify(file)}\n`, '/f')).toEqual(file);
  });

  it.each([
    '',
    'null',
    '[]',
    '{',
    ...[
      { v: 2 },
      { id: '../../x' },
      { id: 7 },
      { path: 'relative' },
      { path: null },
      { device: '1' },
      { inode: undefined },
    ].map((change) => JSON.stringify({ ...file, ...change })),
  ])('refuses %s and names the file', (text) => {
    expect(() => parseWorkspaceFile(text, '/f')).toThrow(
      expect.objectContaining({
        code: 'workspace.untrusted',
        message: expect.stringContaining('/f'),
      }),
    );
  });
});
