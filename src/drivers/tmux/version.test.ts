import { describe, expect, it } from 'vitest';
import { parseTmuxVersion } from './version.ts';

describe('parseTmuxVersion', () => {
  it.each([
    ['tmux 1.8', 1.8],
    ['tmux 2.7', 2.7],
    ['tmux 3.0a', 3.0],
    ['tmux 3.1-rc', 3.1],
    ['tmux 3.3a\n', 3.3],
    ['tmux next-3.7', 3.7],
  ])('reads %j', (text, number) => {
    expect(parseTmuxVersion(text)).toBe(number);
  });

  it.each(['tmux master', 'tmux openbsd-7.2', '', 'screen 4.9'])(
    'says nothing about %j',
    (text) => {
      expect(parseTmuxVersion(text)).toBeUndefined();
    },
  );
});
