import { describe, expect, it } from 'vitest';
import type { Composer } from '../../ports/agent-adapter.ts';
import { promptHash } from './prompt-hash.ts';
import { composerHolds, isFolded, planTyping } from './typing.ts';

function prompt(text: string): Composer {
  return { text, empty: text === '', mode: 'prompt' };
}

describe('planTyping', () => {
  it.each([
    'fix it;',
    ';',
    '-l',
    '--help',
    '#{session_name} #(date)',
    'Enter',
    'say "hi" \'x\' $HOME `id` !!',
    'y',
    '   indented',
    'see src/a.ts for more',
    '/etc/hosts looks wrong, explain',
    '\n!echo hi',
  ])('pastes %j as it is', (text) => {
    expect(planTyping(text)).toMatchObject({
      kind: 'prompt',
      typed: text,
      via: 'paste',
      evidence: 'hook',
    });
  });

  it.each(['!ls', '!', '/foo bar\nsecond line', '/ foo', '/', '/tmp is full\nclean up'])(
    'puts a blank before %j, which would not be a prompt',
    (text) => {
      const { kind, typed, evidence } = planTyping(text);
      expect({ kind, typed: typed.trimEnd(), evidence }).toEqual({
        kind: 'prompt',
        typed: ` ${text}`,
        evidence: 'hook',
      });
    },
  );

  it('takes the text that is too long for a command line as text', () => {
    expect(planTyping(`/foo ${'word '.repeat(100)}`).typed).toMatch(/^ \/foo word/);
  });

  it.each(['/clear', '/model small now', '/plugin:do-it x', '/mcp__server__ask'])(
    'keeps %s a command, with the completion menu shut',
    (text) => {
      expect(planTyping(text)).toMatchObject({
        kind: 'command',
        typed: `${text}\n`,
        via: 'paste',
        evidence: 'screen',
      });
    },
  );

  it.each(['exit', ' quit ', ':wq', 'ex\u200bit'])('knows that %j quits Claude', (text) => {
    expect(planTyping(text)).toMatchObject({ kind: 'command', evidence: 'screen' });
  });

  it.each(['look at @READ', '@', 'hello :smi', 'please run /re', '(see @x', 'C:\\dir\\', '//x'])(
    'ends %j with a line break, else a menu or the backslash would take Enter',
    (text) => {
      expect(planTyping(text).typed).toBe(`${text}\n`);
    },
  );

  it('cuts white space at the end', () => {
    expect(planTyping('text \n\n').typed).toBe('text');
  });

  it('makes control characters harmless and line ends uniform', () => {
    expect(planTyping('a\r\nb\rc\x1b[201~d\u2028e\tf').typed).toBe('a\nb\nc\ufffd[201~d\ne\tf');
  });

  it('leaves out controls of text direction, which would ask for a second Enter', () => {
    expect(planTyping('a\u202eb\u202c \u200ec\u2066d\u2069').typed).toBe('ab cd');
  });

  it('sees the exclamation mark behind invisible characters', () => {
    expect(planTyping('\u200b\ufeff!ls').typed).toBe(' !ls');
  });

  it('keeps the joiners of emoji', () => {
    expect(planTyping('👩\u200d👧 hi').typed).toBe('👩\u200d👧 hi');
  });

  it('hashes what is typed, in normal form', () => {
    expect(planTyping('!a\tb\n').hash).toBe(promptHash(' !a    b'));
  });
});

describe('composerHolds', () => {
  it('holds the text, wrapped and indented by the composer', () => {
    const plan = planTyping('first line of a longer text\n\tsecond');
    expect(composerHolds(prompt('first line of\na longer text\n    second'), plan)).toBe(true);
  });

  it('does not hold a part of it, nor more than it', () => {
    const plan = planTyping('first and second');
    expect(composerHolds(prompt('first and'), plan)).toBe(false);
    expect(composerHolds(prompt('draft first and second'), plan)).toBe(false);
    expect(composerHolds(prompt(''), plan)).toBe(false);
  });

  it('holds nothing in shell mode or under a menu', () => {
    const plan = planTyping('ls');
    expect(composerHolds({ text: 'ls', empty: false, mode: 'shell' }, plan)).toBe(false);
    expect(composerHolds({ text: 'ls', empty: false, mode: 'other' }, plan)).toBe(false);
  });

  it('holds the placeholder with the right number of line breaks', () => {
    const plan = planTyping('a\nb\nc\nd');
    expect(composerHolds(prompt('[Pasted text #7 +3 lines]'), plan)).toBe(true);
    expect(composerHolds(prompt('[Pasted text #7 +4 lines]'), plan)).toBe(false);
    expect(composerHolds(prompt('[Pasted text #7]'), plan)).toBe(false);
  });

  it('holds the placeholder of a long line', () => {
    const plan = planTyping('x'.repeat(801));
    expect(composerHolds(prompt('[Pasted text #1]'), plan)).toBe(true);
    expect(composerHolds(prompt('[Pasted text #1] and more'), plan)).toBe(false);
  });

  it('does not take a placeholder for a short text', () => {
    expect(composerHolds(prompt('[Pasted text #1]'), planTyping('short'))).toBe(false);
  });

  it('holds a text that only looks like a placeholder', () => {
    const plan = planTyping('[Pasted text #1]');
    expect(composerHolds(prompt('[Pasted text #1]'), plan)).toBe(true);
  });

  it('holds a command with its line break', () => {
    expect(composerHolds(prompt('/clear'), planTyping('/clear'))).toBe(true);
  });
});

describe('isFolded', () => {
  it.each([
    ['x'.repeat(800), false],
    ['x'.repeat(801), true],
    [`${'x'.repeat(796)}\t`, false],
    [`${'x'.repeat(797)}\t`, true],
    ['🙂'.repeat(400), false],
    ['🙂'.repeat(401), true],
    ['é'.normalize('NFD').repeat(401), true],
    ['a\nb\nc', false],
    ['a\nb\nc\n', true],
  ])('case %#', (typed, folded) => {
    expect(isFolded(typed)).toBe(folded);
  });
});
