import { describe, expect, it } from 'vitest';
import { normalizePrompt, promptHash } from './prompt-hash.ts';

describe('normalizePrompt', () => {
  it.each([
    ['a\tb\t\tc', 'a    b        c'],
    ['trail \n\n', 'trail'],
    ['\n\n lead', '\n\n lead'],
    [' !ls', ' !ls'],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['a\u2028b\u2029c', 'a\nb\nc'],
    ['Cafe\u0301 한글'.normalize('NFD'), 'Café 한글'],
    ['a\u200bb\ufeffc\u2060d\u00ade\u{e0041}f', 'abcdef'],
    ['👩\u200d👧 ❤\ufe0f', '👩👧 ❤'],
    ['no-break\u00a0', 'no-break'],
  ])('%j becomes %j', (prompt, normal) => {
    expect(normalizePrompt(prompt)).toBe(normal);
  });

  it('takes the tags of a folded paste away', () => {
    const tagged = '\n\n<pasted_content id="bd76">\na\n\n\nb\n</pasted_content id="bd76">\n';
    expect(normalizePrompt(tagged)).toBe('a\n\n\nb');
  });

  it('makes tags of the user and what Claude makes of them equal', () => {
    const typed = '<pasted_content id="x">\nhi\n</pasted_content id="x">';
    const escaped = '<\\pasted_content id="x">\nhi\n<\\/pasted_content id="x">';
    const wrapped = `\n\n<pasted_content id="bd76">\n${escaped}\n</pasted_content id="bd76">\n`;
    expect(normalizePrompt(escaped)).toBe(normalizePrompt(typed));
    expect(normalizePrompt(wrapped)).toBe(normalizePrompt(typed));
  });

  it('ends on a long prompt that only begins like a tag', () => {
    const text = `<pasted_content id="x">\n${'\n'.repeat(100_000)}`;
    expect(normalizePrompt(text)).toBe('<pasted_content id="x">');
  });
});

describe('promptHash', () => {
  it('is SHA-256 of the normal form', () => {
    expect(promptHash('hello\n')).toBe(
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    );
  });
});
