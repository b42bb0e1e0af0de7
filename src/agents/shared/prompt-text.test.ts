import { describe, expect, it } from 'vitest';
import {
  countNewlines,
  fingerprint,
  pasteSafe,
  sha256Hex,
  shellQuote,
  showsText,
} from './prompt-text.ts';

describe('pasteSafe', () => {
  it('keeps text, tabs and newlines, and makes CR and CRLF newlines', () => {
    expect(pasteSafe('a\tb\r\nc\rd\ne 日本 🙂')).toBe('a\tb\nc\nd\ne 日本 🙂');
  });

  it('replaces every other control character, so no paste can be ended from inside', () => {
    expect(pasteSafe('x\x1b[201~\x03\x00\x7f\x9by')).toBe('x\ufffd[201~\ufffd\ufffd\ufffd\ufffdy');
  });
});

describe('sha256Hex', () => {
  it('hashes the UTF-8 bytes', () => {
    expect(sha256Hex('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});

describe('fingerprint', () => {
  it('ignores white space, invisible characters and composition', () => {
    expect(fingerprint('a \u00a0b\n\tc\u200b\ufeff\u200d\ufe0f')).toBe('abc');
    expect(fingerprint('e\u0301')).toBe(fingerprint('é'));
  });
});

describe('showsText', () => {
  it('is true for a text as wrapped and indented', () => {
    expect(showsText('a long\nline of\n\n', 'a long line  of')).toBe(true);
  });

  it('is false when anything is missing, added or in another order', () => {
    expect(showsText('ab', 'abc')).toBe(false);
    expect(showsText('xabc', 'abc')).toBe(false);
    expect(showsText('abcx', 'abc')).toBe(false);
    expect(showsText('acb', 'abc')).toBe(false);
    expect(showsText('', 'abc')).toBe(false);
  });

  it('lets a terminal drop emoji and marks, but add none', () => {
    const family = '👨\u200d👩\u200d👧\u200d👦';
    expect(showsText('👨\u200d👩\u200d👧\u200d ok', `${family} ok`)).toBe(true);
    expect(showsText('hi', 'hi \u{1fae8}')).toBe(true);
    expect(showsText('hi 🙂', 'hi')).toBe(false);
    expect(showsText('🙂🙂', '🙂')).toBe(false);
  });
});

describe('countNewlines', () => {
  it.each([
    ['', 0],
    ['a', 0],
    ['a\n', 1],
    ['\n\nx\n', 3],
  ])('of %j is %i', (text, count) => expect(countNewlines(text)).toBe(count));
});

describe('shellQuote', () => {
  it('keeps quotes literal', () => {
    expect(shellQuote("/a b/it's $HOME")).toBe("'/a b/it'\\''s $HOME'");
  });
});
