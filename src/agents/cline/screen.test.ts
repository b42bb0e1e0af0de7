import { describe, expect, it } from 'vitest';
import { plainScreen, type Screen } from '../../domain/screen.ts';
import { readScreen } from './screen.ts';

const RULE = '─'.repeat(140);
const MODE = `${' fake-model (10) $0.00'.padEnd(121)}○ Plan ● Act (Tab)`;
const BAR = [MODE, ' project', ' Auto-approve all disabled (Shift+Tab)'];
const HEIGHT = 40;

/** A conversation of these rows, the composer and the status bar at the end of the screen. */
function conversation(above: readonly string[], draft = 'Ask anything...', column = 2): Screen {
  const composer = [RULE, `❯ ${draft}`, RULE];
  const blank = Array(HEIGHT - above.length - composer.length - BAR.length).fill('');
  const rows = [...above, ...blank, ...composer, ...BAR];
  return plainScreen(rows.join('\n'), { x: column, y: HEIGHT - BAR.length - 2 });
}

function dialog(...rows: readonly string[]): Screen {
  return plainScreen([' ❯ hi', '', ...rows, '', ...BAR].join('\n'), { x: 2, y: 3 });
}

describe('a conversation', () => {
  it('is idle with its composer, and at work behind a sign that turns', () => {
    expect(readScreen(conversation([' ❯ hi', '', ' * yo']))).toMatchObject({ state: 'idle' });
    const busy = readScreen(conversation([' ❯ hi', '', ' ⠼ Thinking... (esc to cancel)']));
    expect(busy).toMatchObject({ state: 'working', composer: { empty: true } });
  });

  it('is not at work for a sign that somebody quotes', () => {
    const quoted = [' ❯ ⠼ Thinking... (esc to cancel)', '   ⠼ x', ' * ⠼ x', '   ⠼ Thinking...'];
    expect(readScreen(conversation(quoted)).state).toBe('idle');
  });

  it('is starting until something of it is there: what is not, never takes a prompt', () => {
    expect(readScreen(conversation([]))).toEqual({ state: 'starting' });
    const glitch = conversation(['', `${' '.repeat(139)}█`]);
    expect(readScreen(glitch)).toEqual({ state: 'starting' });
    const words = ' * Error: Unknown session: 1796050000000_zzzzz';
    expect(readScreen(conversation([words]))).toEqual({ state: 'starting' });
    expect(readScreen(conversation([' ❯ hi', words])).state).toBe('idle');
    expect(readScreen(conversation([`  ${words}`])).state).toBe('idle');
  });

  it('says nothing of its state while a person has scrolled up', () => {
    const above = Array(HEIGHT - 6).fill(' * old');
    const scrolled = above.map((row, i) => (i < 9 ? `${row.padEnd(139)}█` : row));
    expect(readScreen(conversation(scrolled)).state).toBe('unknown');
    const ended = above.map((row, i) => (i > 30 ? `${row.padEnd(139)}█` : row));
    expect(readScreen(conversation(ended)).state).toBe('idle');
    const drawing = above.map((row, i) => (i < 9 ? `${row} ██` : row));
    expect(readScreen(conversation(drawing)).state).toBe('idle');
  });
});

describe('the composer', () => {
  it('holds a draft that says what a placeholder says', () => {
    const typed = conversation([' ❯ hi'], 'Ask anything...', 17);
    expect(readScreen(typed).composer).toMatchObject({ text: 'Ask anything...', empty: false });
    expect(readScreen(conversation([' ❯ hi'])).composer).toMatchObject({ text: '', empty: true });
  });

  it('is not read while the cursor is elsewhere', () => {
    const screen = { ...conversation([' ❯ hi']), cursor: { x: 140, y: 39 } };
    expect(readScreen(screen)).toEqual({ state: 'unknown' });
  });

  it('is not one that an answer quotes', () => {
    const quoted = ['   ─'.padEnd(60, '─'), '   ❯ Ask anything...', '   ─'.padEnd(60, '─')];
    const screen = plainScreen([' * look', ...quoted, ...BAR].join('\n'), { x: 5, y: 2 });
    expect(readScreen(plainScreen([...quoted, ' * and on', '', '', ...BAR].join('\n'))).state).toBe(
      'unknown',
    );
    expect(readScreen({ ...screen, cursor: { x: 2, y: 30 } }).state).toBe('unknown');
  });
});

describe('a dialog', () => {
  const permission = [' Cline needs permission', '', ' Approve tool call?', '', ' editor', ''];
  const keys = '  [y] Approve   [n] Deny';

  it('counts where it stands on the status bar', () => {
    expect(readScreen(dialog(...permission, '   /a', '', keys)).dialog?.title).toBe(
      'Approve tool call? editor /a',
    );
    expect(readScreen(conversation([...permission, '   /a', '', keys])).dialog).toBeUndefined();
    expect(readScreen(dialog(...permission, keys, '   more')).dialog).toBeUndefined();
    expect(readScreen(dialog(...permission)).dialog).toBeUndefined();
  });

  it('is one, whatever the command that it asks about quotes', () => {
    const quote = [' Cline needs permission', ' Approve tool call?', ' run_commands', keys];
    const read = readScreen(dialog(...permission, ...quote, '', keys));
    expect(read.dialog?.title).toMatch(/^Approve tool call\? editor Cline needs permission /);
  });

  it('that asks has one marked option', () => {
    const asking = [' Cline is asking a question', '', ' Which?', ''];
    const read = readScreen(dialog(...asking, '    Red', '  > Blue', '    Type a response...', ''));
    expect(read.dialog?.options.map(({ marked }) => marked)).toEqual([false, true, false]);
    expect(readScreen(dialog(...asking, '    Red', '    Blue')).dialog).toBeUndefined();
  });
});

describe('a panel', () => {
  const ground = (text: string, bg: string) => `\x1b[${bg}m${text}\x1b[49m`;
  const over = (rows: number, bg: string, from = 40) =>
    Array.from({ length: rows }, () => {
      const inner = ground('  Theme'.padEnd(60), bg);
      return `${' '.repeat(from)}${inner}${' '.repeat(80 - from)}`;
    });

  it('hides the composer, however much of that is to be seen', () => {
    expect(readScreen(conversation([' ❯ hi', ...over(5, '48;5;235')]))).toEqual({
      state: 'unknown',
      detail: 'overlay',
    });
  });

  it('is none that is small, or not in the middle', () => {
    expect(readScreen(conversation([' ❯ hi', ...over(2, '48;5;235')])).state).toBe('idle');
    expect(readScreen(conversation([' ❯ hi', ...over(5, '48;5;235', 20)])).state).toBe('idle');
  });
});
