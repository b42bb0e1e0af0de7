import { describe, expect, it } from 'vitest';
import { plainScreen } from '../../domain/screen.ts';
import { readScreen } from './screen.ts';

const COLS = 140;
const RULE = '─'.repeat(COLS);
const MODEL = 'Gemini 3.8 Flash · high';
const HINT = '? for shortcuts';

function footer(hint = HINT, right = MODEL): string {
  return hint + right.padStart(COLS - hint.length);
}

function screen(above: string, { draft = '>', foot = footer(), between = '' } = {}): string {
  return [above, RULE, draft, RULE, ...(between === '' ? [] : [between]), foot].join('\n');
}

const read = (text: string) => readScreen(plainScreen(text));
const state = (text: string) => read(text).state;
const CANCEL = footer('esc to cancel');

describe('the box', () => {
  it('works while the spinner stands directly above it, whatever the footer says', () => {
    for (const foot of [CANCEL, footer(), footer('')])
      expect(state(screen('> hi\n⣻  Generating...', { foot }))).toBe('working');
    expect(state(screen('> hi\n⣟ Running command...', { foot: CANCEL }))).toBe('working');
  });

  it('has a tip, waiting messages and artifacts between the spinner and itself', () => {
    const artifact = '1 artifact · /artifact to review'.padStart(COLS);
    const above = `⣻  Generating...\n└ Tip: a tip that\n  goes on\n▸ a message\n  of two rows\n▸ another\n${artifact}`;
    expect(state(screen(above, { foot: CANCEL }))).toBe('working');
  });

  it('takes no spinner of the conversation for its own', () => {
    expect(state(screen('⣻  Generating...\n\n  The answer.\n'))).toBe('idle');
    expect(state(screen('  ⣻  Generating...'))).toBe('idle');
    expect(state(screen('⣻  Generating...\n  The answer.\n'))).toBe('idle');
    expect(state(screen('▸ Thought for 4s\n  The answer.\n'))).toBe('idle');
  });

  it('says nothing by "esc to cancel" alone, nor by a hint that is missing', () => {
    expect(state(screen('  done\n', { foot: CANCEL }))).toBe('unknown');
    expect(state(screen('  done\n', { foot: footer('') }))).toBe('unknown');
    expect(state(screen('  done\n', { foot: footer('  Press up to edit queued messages') }))).toBe(
      'unknown',
    );
  });

  it('is no box before its footer is drawn, nor with a rule that is not finished', () => {
    expect(read(`banner\n\n${RULE}\n>\n${RULE}`)).toEqual({ state: 'starting' });
    expect(state(`banner\n\n${RULE}\n>\n${RULE.slice(3)}`)).toBe('unknown');
  });

  it('may have a draft and no footer at all, when the model is not known', () => {
    const seen = read(`${RULE}\n> a draft\n${RULE}`);
    expect(seen).toMatchObject({ state: 'unknown', composer: { text: 'a draft', empty: false } });
  });

  it('is none when something stands below it that is not known', () => {
    const seen = read(screen('', { between: 'Switch Model\n\n> Gemini 3.5 Flash (current)' }));
    expect(seen).toMatchObject({ state: 'unknown', composer: { mode: 'other' } });
    const choice = read(screen('', { draft: '> /ex', foot: '  /exit   Exit' }));
    expect(choice).toMatchObject({ state: 'unknown', composer: { mode: 'other' } });
    expect(state(screen('', { draft: '> /ex', foot: footer('') }))).toBe('idle');
  });

  it('has the tasks that run on between itself and the footer', () => {
    const between = '  ● [03:57:33] go build ./... running';
    const background = { state: 'working', detail: 'background' };
    expect(read(screen('  done\n', { between }))).toMatchObject(background);
    const foot = footer(HINT, `${MODEL} · 2 task(s) · /tasks`);
    expect(read(screen('  done\n', { foot }))).toMatchObject(background);
    // The right end may be cut.
    expect(read(screen('  done\n', { foot: `${HINT}   ${MODEL} · 1 tas` })).state).toBe('idle');
    expect(read(screen('  done\n', { foot: `${HINT}   ${MODEL} · 1 task(` }))).toMatchObject(
      background,
    );
  });

  it('has a survey below or in its place, which a key puts away', () => {
    const rows = [
      ' How\u2019s the CLI experience so far? Help us improve:',
      ' [1] Good  [2] Fine  [3] Bad  [0] Skip',
    ].join('\n');
    const below = read(screen('  done\n', { between: rows }));
    expect(below).toMatchObject({ state: 'idle', dismissKey: '0', composer: { empty: true } });
    expect(read(`  done\n\n${rows}\n${footer()}`)).toEqual({ state: 'idle', dismissKey: '0' });
    expect(read(`  done\n\n${rows}\n${CANCEL}`)).toEqual({ state: 'unknown', dismissKey: '0' });
    const quoted = read(screen(`  ${rows.replace('\n', '\n  ')}\n`));
    expect([quoted.state, quoted.dismissKey]).toEqual(['idle', undefined]);
  });

  it('is the lowest pair of rules: the one above is a dialog of before', () => {
    const before = `Command\n${RULE}\n\n  Done.\n⣽ Generating...`;
    expect(state(screen(before, { foot: CANCEL }))).toBe('working');
  });
});

describe('a list that a command opened', () => {
  const list = 'Action required (1 left)\n\n› □ new plan.md\n\nKeyboard: ↑/↓ Navigate  y/n …';

  it('ends the screen, with the footer at most below it', () => {
    const overlay = { state: 'unknown', detail: 'overlay' };
    for (const foot of [CANCEL, footer(''), '']) expect(read(`${list}\n${foot}`)).toEqual(overlay);
    expect(read(`${list}\nmore`)).toEqual({ state: 'unknown' });
    expect(state(screen(`${list}\n`))).toBe('idle');
  });
});

describe('a limit', () => {
  it('is the last thing said, in a note of the program', () => {
    const note = '⚠ Quota\n  ⎿  Individual quota reached';
    expect(read(screen(`${note}\n`))).toMatchObject({ state: 'limited', detail: 'limit' });
    expect(state(screen(`${note}\n\n> hi\n\n  An answer.\n`))).toBe('idle');
    expect(state(screen('  ⚠ Quota\n  ⎿  Individual quota reached\n'))).toBe('idle');
    expect(state(screen(`${note}\n⣻  Generating...`, { foot: CANCEL }))).toBe('working');
  });
});

describe('a dialog', () => {
  const QUESTION = 'Run this command?\n> 1. Yes, run command\n  2. No, cancel\n';
  const KEYS = '  ↑/↓ Navigate · tab Amend · ctrl+g edit/expand command';
  const dialog = (command: string, tools = '') =>
    `${tools}\nCommand\n${RULE}\n\n  Requesting permission for:\n   ${command}\n\n${QUESTION}\n${KEYS}\n${CANCEL}`;

  it('ends the screen: with anything but the footer below it is none', () => {
    expect(read(dialog('ls')).dialog?.rule.id).toBe('permission-command');
    expect(state(`${dialog('ls')}\nmore`)).toBe('unknown');
    expect(read(screen(dialog('ls'))).dialog).toBeUndefined();
    expect(state(dialog('ls').replace(KEYS, ''))).toBe('unknown');
  });

  it('is another when the command, or what the tools above did, is another', () => {
    const at = (command: string, tools?: string) => read(dialog(command, tools)).dialog?.occurrence;
    expect(at('ls')).toBe(at('ls'));
    expect(at('ls')).not.toBe(at('rm x'));
    const twins = ['○ Bash(ls)\n\n○ Bash(ls)\n', '● Bash(ls)\n\n○ Bash(ls)\n'];
    expect(at('ls', twins[0])).not.toBe(at('ls', twins[1]));
    expect(at('ls', '● Ran (ls)\n')).not.toBe(at('ls', '● Ran 2 commands (ls ×2)\n'));
  });

  it('has options that are wrapped to the first column', () => {
    const wide = '> 1. Yes\n  2. Yes, and always allow in this\nconversation\n  3. No\n';
    const text = `Command\n${RULE}\n\nDo you want to proceed?\n${wide}\n${KEYS}\n${CANCEL}`;
    expect(read(text).dialog?.options).toEqual([
      { label: 'Yes', marked: true },
      { label: 'Yes, and always allow in this conversation', marked: false },
      { label: 'No', marked: false },
    ]);
  });

  it.each([
    ['no mark', 'Run this command?\n  1. Yes, run command\n  2. No, cancel\n'],
    ['two marks', 'Run this command?\n> 1. Yes, run command\n> 2. No, cancel\n'],
    ['numbers that do not count', 'Run this command?\n> 1. Yes, run command\n  3. No, cancel\n'],
  ])('is not guessed with %s', (_what, options) => {
    expect(state(`Command\n${RULE}\n\n${options}\n${KEYS}\n${CANCEL}`)).toBe('unknown');
  });

  it('without answers that we know is a menu, which only its own words answer', () => {
    const text = `Command\n${RULE}\n\nRun this command?\n> 1. Once\n  2. Not now\n\n${KEYS}\n${CANCEL}`;
    expect(read(text)).toMatchObject({ state: 'awaiting-answer', detail: 'menu' });
    expect(state(text.replace('command?', 'command'))).toBe('unknown');
  });
});

describe('a conversation that was not found', () => {
  const warning = 'warning: conversation "11111111-2222-4333-8444-555555555555" not found';

  it('is told on the first row alone', () => {
    expect(read(screen(`${warning}\n\nbanner\n`)).notFound).toBe(warning.slice(23, 59));
    expect(read(screen(`banner\n\n${warning}\n`)).notFound).toBeUndefined();
    expect(read(screen(`  ${warning.slice(2)}\n`)).notFound).toBeUndefined();
  });
});
