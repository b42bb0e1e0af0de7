import { describe, expect, it } from 'vitest';
import { charWidth, textWidth } from './char-width.ts';

const width = (char: string) => charWidth(char.codePointAt(0) ?? 0);

describe('charWidth', () => {
  it.each(['a', 'é', '❯', '●', '─', '✻', '⚠', '❤', 'ｱ', '①', '\u00a0', 'ж', 'ก'])(
    'gives 1 for %s',
    (char) => expect(width(char)).toBe(1),
  );
  it.each(['日', '한', 'Ａ', '🙂', '🚀', '⚡', '✅', '　', '、', '𠮷', '🫨', '🉑'])(
    'gives 2 for %s',
    (char) => expect(width(char)).toBe(2),
  );
  it.each([0x301, 0x200b, 0x200d, 0xfe0f, 0xfeff, 0xad, 0x1161, 0x20e3, 0xe0067])(
    'gives 0 for code point %i',
    (code) => expect(charWidth(code)).toBe(0),
  );
});

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['hello 日本語 🙂 x', 17],
    ['e\u0301', 1],
    ['\u1112\u1161\u11ab', 2],
    ['👨\u200d👩\u200d👧', 2],
    ['👍🏽', 2],
    ['🏽', 2],
    ['🇩🇪', 2],
    ['1\ufe0f\u20e3', 1],
  ])('of %s is %i', (text, cells) => expect(textWidth(text)).toBe(cells));
});
