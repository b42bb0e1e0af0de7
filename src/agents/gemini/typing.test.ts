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
  it.each(['!touch x', '@nobody said', '?', '//comment', '/* c */', 'a /help'])(
    'types %j as it is',
    (text) => {
      expect(planTyping(text)).toMatchObject({ kind: 'prompt', typed: text, via: 'paste' });
    },
  );

  it.each(['/help', '/chat list', '/mcp', '/unknown-command'])('takes %j for a command', (text) => {
    expect(planTyping(text)).toMatchObject({
      kind: 'command',
      typed: `${text}\n`,
      evidence: 'screen',
    });
  });

  it.each(['/etc/hosts is wrong', '/help\nand more', ' /help'])('makes %j text', (text) => {
    const { kind, typed, hash } = planTyping(text);
    expect(kind).toBe('prompt');
    expect(typed).toMatch(/^\u2060\//);
    expect(hash).toBe(promptHash(text));
  });

  it.each(['see @src/x', 'a path C:\\'])('keeps the completion of %j shut', (text) => {
    expect(planTyping(text).typed).toBe(`${text}\n`);
  });

  it('has the same hash for a text and for what Gemini makes of it', () => {
    const { typed, hash } = planTyping('  a\r\n\tb\u200b \u202ec\n\n');
    expect(promptHash(typed.trim())).toBe(hash);
    expect(promptHash('a\n\tb c')).toBe(hash);
  });

  it('lets no paste end early', () => {
    expect(planTyping('a\u001b[201~!ls').typed).toBe('a\ufffd[201~!ls');
  });
});

describe('composerHolds', () => {
  it('knows the text as it is shown, and nothing else', () => {
    const plan = planTyping('two\twords 世界 🙂');
    expect(composerHolds(shown('two    words 世界 🙂'), plan)).toBe(true);
    expect(composerHolds(shown('two    words 世界 🙂 more'), plan)).toBe(false);
    expect(composerHolds(shown('two    words 世界 🙂', 'shell'), plan)).toBe(false);
    expect(composerHolds(shown(''), plan)).toBe(false);
  });

  it('knows the placeholder of exactly such a paste', () => {
    const lines = planTyping('1\n2\n3\n4\n5\n6');
    expect(composerHolds(shown('[Pasted Text: 6 lines]'), lines)).toBe(true);
    expect(composerHolds(shown('[Pasted Text: 6 lines #2]'), lines)).toBe(true);
    expect(composerHolds(shown('[Pasted Text: 7 lines]'), lines)).toBe(false);
    expect(composerHolds(shown('a\n[Pasted Text: 6 lines]'), lines)).toBe(false);
    const long = planTyping('x'.repeat(501));
    expect(composerHolds(shown('[Pasted Text: 501 chars]'), long)).toBe(true);
  });

  it('takes no placeholder for a text that Gemini shows whole', () => {
    expect([isFolded('1\n2\n3\n4\n5'), isFolded('x'.repeat(500))]).toEqual([false, false]);
    expect(composerHolds(shown('[Pasted Text: 2 lines]'), planTyping('1\n2'))).toBe(false);
  });
});
