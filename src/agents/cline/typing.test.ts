import { describe, expect, it } from 'vitest';
import type { Composer } from '../../ports/agent-adapter.ts';
import { promptHash } from './prompt-hash.ts';
import { composerHolds, planTyping } from './typing.ts';

const shown = (text: string, mode: Composer['mode'] = 'prompt'): Composer => ({
  text,
  empty: text === '',
  mode,
});

describe('planTyping', () => {
  it.each(['!touch x', 'hello', 'exit', '?', 'see @src', 'a /help', 'two\nlines'])(
    'types %j as it is, with a blank that closes a completion',
    (text) => {
      expect(planTyping(text)).toMatchObject({ kind: 'prompt', typed: `${text} `, via: 'paste' });
    },
  );

  it.each(['/help', '/clear', '/model x', '/unknown-command'])('takes %j for a command', (text) => {
    expect(planTyping(text)).toMatchObject({
      kind: 'command',
      typed: `${text} `,
      evidence: 'screen',
    });
  });

  it.each(['/etc/hosts is wrong', '/cwd /\nand more', ' /help', '/a\nb\nc\nd\ne', '/home/u/a.png'])(
    'makes %j text',
    (text) => {
      const { kind, typed, hash } = planTyping(text);
      expect(kind).toBe('prompt');
      expect(typed).toMatch(/^\u2060\//);
      expect(hash).toBe(promptHash(text));
    },
  );

  it('keeps the path of an image from becoming one', () => {
    expect(planTyping('pictures/a b.PNG').typed).toBe('\u2060pictures/a b.PNG ');
    expect(planTyping('look at a.png please').typed).toBe('look at a.png please ');
  });

  it('makes a paste that is folded of what the composer may not show whole', () => {
    const long = 'word '.repeat(40).trim();
    expect(planTyping(long).typed).toBe(`${long}${'\n'.repeat(5)}`);
    expect(planTyping(`a\n${long}`).typed).toBe(`a\n${long}${'\n'.repeat(4)}`);
    expect(planTyping('界'.repeat(83)).typed).toBe(`${'界'.repeat(83)}${'\n'.repeat(5)}`);
    expect(planTyping('1\n2\n3\n4\n5').typed).toBe('1\n2\n3\n4\n5');
    expect(planTyping(long).hash).toBe(promptHash(long));
  });

  it('lets no paste end early', () => {
    expect(planTyping('a\u001b[201~!ls').typed).toBe('a\ufffd[201~!ls ');
  });
});

describe('promptHash', () => {
  it.each([
    ['  a\r\n\tb \n\n', '<user_input mode="act">a\n\tb</user_input>'],
    ['see @./src/a.ts, now', '<user_input mode="act">see [file: a.ts], now</user_input>'],
    ['@"./my pic.png" ok', '<user_input mode="plan">[image: my pic.png] ok</user_input>'],
    ['(@/none.txt)', '<user_input mode="act">(@/none.txt)</user_input>'],
    ['a <user_input> b', '<user_input mode="act">a  b</user_input>'],
  ])('of %j is that of what Cline stores', (text, stored) => {
    expect(promptHash(stored)).toBe(planTyping(text).hash);
  });

  it('tells texts apart', () => {
    const texts = ['a', 'a b', 'a  b', 'a\nb', '@a', 'A', 'x@/a', 'x@/a b'];
    expect(new Set(texts.map(promptHash)).size).toBe(texts.length);
  });
});

describe('composerHolds', () => {
  it('knows the text as it is shown, and nothing else', () => {
    const plan = planTyping('two\twords 世界 🙂');
    expect(composerHolds(shown('two  words 世界 🙂'), plan)).toBe(true);
    expect(composerHolds(shown('two  words\n世界 🙂'), plan)).toBe(true);
    expect(composerHolds(shown('two  words 世界 🙂 more'), plan)).toBe(false);
    expect(composerHolds(shown('two  words 世界 🙂', 'other'), plan)).toBe(false);
    expect(composerHolds(shown(''), plan)).toBe(false);
  });

  it('knows the placeholder of exactly such a paste', () => {
    const plan = planTyping('a first\nb\n\nc\nd  e');
    const whole = '[a first b c d e... Pasted +5 lines]';
    expect(composerHolds(shown(whole), plan)).toBe(true);
    expect(composerHolds(shown(whole.replace(']', ' #2]')), plan)).toBe(true);
    expect(composerHolds(shown(whole.replace('+5', '+6')), plan)).toBe(false);
    expect(composerHolds(shown(whole.replace('first', 'last')), plan)).toBe(false);
    expect(composerHolds(shown(`more ${whole}`), plan)).toBe(false);
  });

  it('knows the placeholder of a text that we had folded', () => {
    const long = 'word '.repeat(40).trim();
    const preview = long.slice(0, 48);
    const plan = planTyping(long);
    expect(composerHolds(shown(`[${preview}... Pasted +5 lines]`), plan)).toBe(true);
    expect(composerHolds(shown(long), plan)).toBe(false);
  });

  it('knows one that was cut within a character', () => {
    const plan = planTyping(`${'x'.repeat(47)}🙂\n2\n3\n4\n5`);
    expect(composerHolds(shown(`[${'x'.repeat(47)}\ufffd... Pasted +5 lines]`), plan)).toBe(true);
  });
});
