import { describe, expect, it } from 'vitest';
import type { Composer } from '../../ports/agent-adapter.ts';
import { promptHash } from './prompt-hash.ts';
import { composerHolds, isFolded, planTyping } from './typing.ts';

const shown = (text: string, mode: Composer['mode'] = 'prompt'): Composer => ({
  text,
  empty: text === '',
  mode,
});

describe('planTyping', () => {
  it.each(['!ls', '?', '? what', '/etc/hosts is wrong', '/clear\nand more', '//x', 'hello'])(
    'pastes %j, which a paste keeps as text',
    (text) => {
      const plan = { kind: 'prompt', typed: text, via: 'paste', evidence: 'hook' };
      expect(planTyping(text)).toMatchObject(plan);
    },
  );

  it.each(['/exit', '/clear', '/fork'])('types the command %s', (text) => {
    const plan = { kind: 'command', typed: text, via: 'keys', evidence: 'screen' };
    expect(planTyping(text)).toMatchObject(plan);
    expect(planTyping(`${text} \n`).typed).toBe(text);
  });

  it('has one hash for a text, whatever becomes of its white space', () => {
    const { hash } = planTyping('  a\r\n\tb  c\u200b\n\n');
    expect(hash).toBe(promptHash('a\n    b c'));
    expect(hash).not.toBe(promptHash('a b d'));
  });

  it('lets no paste end early', () => {
    expect(planTyping('a\u001b[201~!ls').typed).toBe('a\ufffd[201~!ls');
  });
});

describe('composerHolds', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).join('\n');

  it('knows the text as it is shown, and nothing else', () => {
    const plan = planTyping('two\twords 世界 🙂');
    expect(composerHolds(shown('two    words\n世界 🙂'), plan)).toBe(true);
    expect(composerHolds(shown('two    words 世界 🙂 more'), plan)).toBe(false);
    expect(composerHolds(shown('two    words 世界 🙂', 'shell'), plan)).toBe(false);
    expect(composerHolds(shown('two    words 世界 🙂', 'other'), plan)).toBe(false);
    expect(composerHolds(shown(''), plan)).toBe(false);
  });

  it('knows the placeholder of exactly such a paste', () => {
    const plan = planTyping(lines(41));
    for (const count of [40, 41])
      expect(composerHolds(shown(`[Pasted text #3 +${count} lines]`), plan)).toBe(true);
    expect(composerHolds(shown('[Pasted text #3 +42 lines]'), plan)).toBe(false);
    expect(composerHolds(shown('[Pasted text #3 +40 lines]\nmore'), plan)).toBe(false);
    const long = planTyping('ü'.repeat(1_499));
    for (const count of [1_499, 2_998])
      expect(composerHolds(shown(`[Pasted text #4 ${count} chars]`), long)).toBe(true);
    expect(composerHolds(shown('[Pasted text #4 1500 chars]'), long)).toBe(false);
  });

  it('knows a swallowed Enter behind it', () => {
    expect(composerHolds(shown('[Pasted text #1 +40 lines]\n'), planTyping(lines(41)))).toBe(true);
  });

  it('takes no placeholder for a text that is shown whole', () => {
    expect([isFolded(lines(15)), isFolded('x'.repeat(1_000))]).toEqual([false, false]);
    expect(composerHolds(shown('[Pasted text #1 +15 lines]'), planTyping(lines(15)))).toBe(false);
    const quoted = '[Pasted text #1 +40 lines]';
    expect(composerHolds(shown(quoted), planTyping(quoted))).toBe(true);
  });

  it('between 1,000 and 1,024 characters takes either form', () => {
    const plan = planTyping('x'.repeat(1_010));
    expect(composerHolds(shown('x'.repeat(1_010)), plan)).toBe(true);
    expect(composerHolds(shown('[Pasted text #1 1010 chars]'), plan)).toBe(true);
  });
});
