import { describe, expect, it } from 'vitest';
import { isTooOld, parseTmuxVersion } from './version.ts';

describe('parseTmuxVersion', () => {
  it.each([
    ['tmux 1.8', [1, 8], true],
    ['tmux 2.7', [2, 7], true],
    ['tmux 3.0a', [3, 0], true],
    ['tmux 3.1-rc', [3, 1], true],
    ['tmux 3.2', [3, 2], false],
    ['tmux 3.3a\n', [3, 3], false],
    ['tmux next-3.7', [3, 7], false],
    ['tmux 3.10', [3, 10], false],
    ['tmux 4.0', [4, 0], false],
  ] as const)('reads %j', (text, number, tooOld) => {
    const found = parseTmuxVersion(text);
    expect(found).toEqual(number);
    expect(found && isTooOld(found)).toBe(tooOld);
  });

  it.each(['tmux master', 'tmux openbsd-7.2', '', 'error'])('leaves %j to the features', (text) => {
    expect(parseTmuxVersion(text)).toBeUndefined();
  });
});
