import { describe, expect, it } from 'vitest';
import { clipMiddle, clipRow, wrapText } from './wrap.ts';

describe('wrapText', () => {
  it('fills each row, keeps empty lines and what has no width', () => {
    expect(wrapText('abcde\n\nf', 2)).toEqual(['ab', 'cd', 'e', '', 'f']);
    expect(wrapText('日本語', 5)).toEqual(['日本', '語']);
    expect(wrapText('ae\u0301b', 2)).toEqual(['ae\u0301', 'b']);
    expect(wrapText('', 5)).toEqual(['']);
    expect(wrapText('a\n', 5)).toEqual(['a', '']);
  });
});

describe('clipRow', () => {
  it('shows by `…` that something is missing', () => {
    expect(clipRow('abc', 3)).toBe('abc');
    expect(clipRow('a\nbcd', 3)).toBe('a …');
    expect(clipRow('日本語', 4)).toBe('日…');
  });
});

describe('clipMiddle', () => {
  it('keeps both ends of what is too long', () => {
    expect(clipMiddle('abcd', 4)).toBe('abcd');
    expect(clipMiddle('abcdefg', 4)).toBe('ab\n… 3 more characters …\nfg');
  });
});
