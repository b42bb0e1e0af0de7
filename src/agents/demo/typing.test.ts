import { describe, expect, it } from 'vitest';
import type { Composer } from '../../ports/agent-adapter.ts';
import { sha256Hex } from '../shared/prompt-text.ts';
import { composerHolds, planTyping, promptHash } from './typing.ts';

const composer = (text: string, more: Partial<Composer> = {}): Composer => ({
  text,
  empty: text === '',
  mode: 'prompt',
  ...more,
});

describe('planTyping', () => {
  it('pastes a prompt as it is, its hash taken over the normal form', () => {
    expect(planTyping(' fix\tit; \r\n')).toEqual({
      kind: 'prompt',
      typed: ' fix\tit; \n',
      via: 'paste',
      hash: sha256Hex('fix\tit;'),
      evidence: 'hook',
    });
  });

  it('puts a blank before what would switch to shell mode or open the menu', () => {
    expect(planTyping('!rm -r x').typed).toBe(' !rm -r x');
    expect(planTyping('/etc/hosts looks wrong').typed).toBe(' /etc/hosts looks wrong');
    expect(planTyping('/clear\nand more').typed).toBe(' /clear\nand more');
    expect(planTyping(`/say ${'x'.repeat(200)}`)).toMatchObject({ kind: 'prompt', via: 'paste' });
    expect(planTyping('!x').hash).toBe(promptHash(' !x'));
  });

  it('types a slash command as keys, known or not, in one line', () => {
    expect(planTyping('/model\tsmall now \n')).toEqual({
      kind: 'command',
      typed: '/model small now',
      via: 'keys',
      hash: promptHash('/model small now'),
      evidence: 'screen',
    });
    expect(planTyping('/no-such')).toMatchObject({ kind: 'command', typed: '/no-such' });
  });

  it('neutralises a paste-end mark', () => {
    expect(planTyping('a\x1b[201~\ny').typed).toBe('a\ufffd[201~\ny');
  });
});

describe('promptHash', () => {
  it('is the same for the forms that a text can take on its way', () => {
    const hash = promptHash('é x\ny');
    for (const form of ['e\u0301 x\r\ny', ' é x\ny\n\n', '\ufeffé\u200b x\ny', 'é x\ry'])
      expect(promptHash(form)).toBe(hash);
    expect(promptHash('é  x\ny')).not.toBe(hash);
  });
});

describe('composerHolds', () => {
  it('compares without white space, and newlines behind it are ours', () => {
    const plan = planTyping('two words\tand 日本');
    expect(composerHolds(composer('two words    and\n日本'), plan)).toBe(true);
    expect(composerHolds(composer('two words    and 日本\n\n'), plan)).toBe(true);
  });

  it('is false with anything else in it, another sign, or nothing', () => {
    const plan = planTyping('hello');
    expect(composerHolds(composer('hello there'), plan)).toBe(false);
    expect(composerHolds(composer('draft hello'), plan)).toBe(false);
    expect(composerHolds(composer('hello', { mode: 'shell' }), plan)).toBe(false);
    expect(composerHolds(composer('hello', { mode: 'other' }), plan)).toBe(false);
    expect(composerHolds(composer(''), plan)).toBe(false);
  });

  it('knows a text that the terminal does not show by the cursor alone', () => {
    const plan = planTyping('\u{1fae8}');
    expect(composerHolds(composer('', { empty: false }), plan)).toBe(true);
    expect(composerHolds(composer(''), plan)).toBe(false);
  });

  it('accepts exactly the placeholder of a folded text', () => {
    const plan = planTyping('a\nb\nc\nd');
    expect(composerHolds(composer('[Pasted text #7 +3 lines]'), plan)).toBe(true);
    expect(composerHolds(composer('[Pasted text #7 +3 lines]\n'), plan)).toBe(true);
    expect(composerHolds(composer('[Pasted text #7 +4 lines]'), plan)).toBe(false);
    expect(composerHolds(composer('[Pasted text #7]'), plan)).toBe(false);
    expect(composerHolds(composer('x [Pasted text #7 +3 lines]'), plan)).toBe(false);
    expect(composerHolds(composer('[Pasted text #7 +3 lines][Pasted text #8]'), plan)).toBe(false);
    expect(composerHolds(composer('[Pasted text #1]'), planTyping('x'.repeat(801)))).toBe(true);
  });

  it('does not take a placeholder for a text that would not be folded', () => {
    expect(composerHolds(composer('[Pasted text #1 +2 lines]'), planTyping('a\nb\nc'))).toBe(false);
    const quoted = planTyping('[Pasted text #1]');
    expect(composerHolds(composer('[Pasted text #1]'), quoted)).toBe(true);
  });
});
