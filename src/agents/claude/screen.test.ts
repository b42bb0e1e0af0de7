import { describe, expect, it } from 'vitest';
import { plainScreen } from '../../domain/screen.ts';
import { readScreen } from './screen.ts';

const RULE = '─'.repeat(140);
const EMPTY = ['', RULE, '❯\u00a0', RULE, '  ⏸ manual mode on · ? for shortcuts'];

function composerWith(draft: string, footer = '  ⏸ manual mode on'): string[] {
  return ['', RULE, `❯\u00a0${draft}`, RULE, footer];
}

function read(rows: readonly string[]) {
  return readScreen(plainScreen(rows.join('\n')));
}

describe('readScreen: busy or idle (BL-24)', () => {
  it.each([
    '✻ Herding… (8m 39s · ↓ 834 tokens)',
    '· Boogieing… (2m 28s · ↓ 10.9k tokens)',
    '✶ Investigating…',
    '* Simmering… (12s)',
    '● Thinking…',
    '✻ 401 fake error 401 · retrying in 2s · attempt 3/10',
    '✻ API error · Retrying in 2s · attempt 3/10',
    '✶ Running PostCompact hooks……',
  ])('is working below %s', (spinner) => {
    expect(read(['❯ go on', '', spinner, ...EMPTY]).state).toBe('working');
  });

  it.each([
    '✻ Worked for 3m 38s',
    '✻ Crunched for 0s · done 4:32 PM · 1 shell still running',
    '● Done, and the rest follows…',
    '(ctrl+o to expand) (main) 12:30',
    '✻ Conversation compacted (ctrl+o for the summary)',
  ])('is idle below %s', (row) => {
    expect(read(['❯ go on', '', row, ...EMPTY]).state).toBe('idle');
  });

  it('takes a half-drawn screen that ends with a spinner for working', () => {
    expect(read(['❯ go on', '', '✢ Forging…']).state).toBe('working');
  });

  it('does not take the words of a draft for its own hint', () => {
    const reading = read(['● Hi', ...composerWith('say esc to interrupt')]);
    expect(reading).toMatchObject({ state: 'idle', composer: { text: 'say esc to interrupt' } });
  });

  it('is working by the footer alone, without a spinner', () => {
    const footer = '  ⏸ manual mode on · 1 shell · esc to interrupt · ↓ to manage';
    expect(read(['! sleep 3', ...composerWith('', footer)]).state).toBe('working');
  });

  it('looks past tips, task lists, queued messages and hints at the right', () => {
    const between = [
      '  ⎿  Tip: Use /theme',
      '     ◼ first thing',
      '  ❯ queued message',
      `${' '.repeat(120)}◐ medium · /effort`,
    ];
    expect(read(['✢ Forging…', ...between, ...composerWith('next')]).state).toBe('working');
  });

  it.each(['An unfamiliar picture', '', '$ '])('knows nothing about %j', (row) => {
    expect(read([row, ''])).toEqual({ state: 'unknown' });
  });
});

describe('readScreen: position, not history (BL-25)', () => {
  const history = Array.from({ length: 30 }, (_, i) => `  line ${i}`);

  it('is idle with an old spinner far above an answer', () => {
    const rows = ['✻ Herding… (2s)', ...history, '● The answer', '', '✻ Worked for 2s', ...EMPTY];
    expect(read(rows).state).toBe('idle');
  });

  it('is working with an earlier prompt far above a live spinner', () => {
    expect(read(['❯ earlier question', ...history, '✻ Herding… (2s)', ...EMPTY]).state).toBe(
      'working',
    );
  });

  it('is idle when the output of a tool quotes a spinner', () => {
    const rows = ['● Bash(cat log)', '  ⎿  ✻ Herding… (8m 39s)', '     esc to interrupt', ...EMPTY];
    expect(read(rows).state).toBe('idle');
  });

  it('is idle with a status line of the user below the footer', () => {
    expect(read(['● Hi', ...EMPTY, '  ⏵⏵ bypass permissions on']).state).toBe('idle');
  });
});

const DIALOG = [
  RULE,
  ' Bash command',
  '   rm build/tmp.txt',
  '',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. No (esc)',
  '',
  ' Esc to cancel · Tab to amend',
];

describe('readScreen: dialogs (BL-26)', () => {
  it('sees a permission question', () => {
    expect(read(DIALOG)).toMatchObject({
      state: 'awaiting-approval',
      detail: 'permission',
      dialog: {
        title: 'Do you want to proceed?',
        options: [
          { label: 'Yes', marked: true },
          { label: 'No (esc)', marked: false },
        ],
      },
    });
  });

  it('sees it also with the rule of the composer and a task list below', () => {
    const below = [
      '  1 tasks (0 done, 1 in progress, 0 open)',
      '  ◼ first thing',
      `${RULE.slice(8)} job ─`,
    ];
    expect(read([...DIALOG, ...below]).detail).toBe('permission');
  });

  it('is idle when an answer quotes it and an empty composer follows', () => {
    const quoted = DIALOG.slice(1).map((row) => ` ${row}`);
    expect(read(['● I saw this:', ...quoted, ...EMPTY])).toMatchObject({
      state: 'idle',
      composer: { empty: true },
    });
  });

  it('is not fooled by a quotation in the view of the transcript', () => {
    const view = [RULE, '  Showing detailed transcript · ctrl+o to toggle'];
    expect(read([...DIALOG, ...view])).toEqual({ state: 'unknown', detail: 'overlay' });
    expect(read([...DIALOG, '✻ Worked for 2s', ...view])).toEqual({
      state: 'unknown',
      detail: 'overlay',
    });
  });

  it('knows nothing when other text follows it and no composer is there', () => {
    expect(read([...DIALOG, '', '● And then'])).toEqual({ state: 'unknown' });
  });

  it('offers a numbered menu that no rule names as a menu', () => {
    const rows = [
      RULE,
      '  Switch model?',
      '  Your next response will be slower',
      '',
      '  ❯ 1. Yes, switch to small',
      '    2. No, go back',
      '',
      '  Enter to confirm · Esc to cancel',
    ];
    expect(read(rows)).toMatchObject({
      state: 'awaiting-answer',
      detail: 'menu',
      dialog: { title: 'Switch model?' },
    });
  });

  it('leaves a list without numbers to a person', () => {
    const rows = [
      RULE,
      '  Rewind',
      '    hello',
      '  ❯ (current)',
      '  Enter to continue · Esc to cancel',
    ];
    expect(read(rows)).toEqual({ state: 'unknown', detail: 'overlay' });
  });

  it('takes two columns of a menu apart', () => {
    const rows = [
      RULE,
      '  Select model',
      '  ❯ 1. Default (recommended) ✔  Use the default model',
      '    2. Opus                     Best for complex tasks',
      '  Enter to save · Esc to cancel',
    ];
    expect(read(rows).dialog?.options.map(({ label }) => label)).toEqual([
      'Default (recommended)',
      'Opus',
    ]);
  });
});

describe('readScreen: composer', () => {
  it('reads a draft of several rows without its indentation', () => {
    const rows = [
      '● Hi',
      '',
      RULE,
      '❯\u00a0first line',
      '  second line',
      RULE,
      '  ⏸ manual mode on',
    ];
    expect(read(rows).composer).toEqual({
      text: 'first line\nsecond line',
      empty: false,
      mode: 'prompt',
      row: 3,
    });
  });

  it('does not call a draft of blank rows empty', () => {
    expect(read([RULE, '❯\u00a0', '', RULE, '']).composer).toMatchObject({
      text: '',
      empty: false,
    });
  });

  it('needs the no-break space behind the sign: an echoed prompt has none', () => {
    expect(read([RULE, '❯ earlier question', RULE, '  ⏸ manual mode on'])).toEqual({
      state: 'unknown',
    });
  });

  it('tells shell mode', () => {
    const rows = ['● Hi', RULE, '!\u00a0ls', RULE, '  ! for shell mode'];
    expect(read(rows).composer).toEqual({ text: 'ls', empty: false, mode: 'shell', row: 2 });
  });

  it.each([
    ['the search through prompts', '  search prompts:   ⏸ manual mode on'],
    ['a menu of commands', '  ❯ /usage (cost)               Show session cost'],
    ['a menu of files', '+ README.md'],
    ['a menu of emoji', '    🙂   :slightly_smiling_face:'],
  ])('knows that Enter does not send while %s is open', (_, footer) => {
    expect(read(['● Hi', ...composerWith('/cost', footer)])).toMatchObject({
      state: 'unknown',
      composer: { mode: 'other' },
    });
  });

  it('is over when Claude has said how to resume', () => {
    const farewell = ['', 'Resume this session with:', 'claude --resume 1'];
    expect(read(['● Hi', ...composerWith('/exit'), ...farewell])).toEqual({ state: 'exited' });
    expect(read(['● Hi', ...farewell])).toEqual({ state: 'exited' });
  });

  it('is limited while the footer says so', () => {
    const footer = '  ⚠ Usage limit reached · limit resets 9:07pm';
    expect(read(['● Hi', ...composerWith('', footer)])).toMatchObject({
      state: 'limited',
      detail: 'limit',
    });
  });

  it('waits for a login while the footer says so', () => {
    const footer = '  ⏸ manual mode on · ? for shortcuts        Not logged in · run /login';
    expect(read(['● Hi', ...composerWith('', footer)])).toMatchObject({
      state: 'awaiting-answer',
      detail: 'login',
    });
  });
});
