import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  loginDialog,
  permissionDialog,
  questionDialog,
  trustDialog,
} from '../../demo-agent/dialog.ts';
import { Draft } from '../../demo-agent/draft.ts';
import { type Block, type Bottom, renderFrame, type View } from '../../demo-agent/frame.ts';
import { parseScreenRows, plainScreen, type Screen } from '../../domain/screen.ts';
import type { Composer } from '../../ports/agent-adapter.ts';
import { demo } from './index.ts';

const size = { cols: 140, rows: 40 };
const rule = '─'.repeat(140);
const composer: Bottom = {
  kind: 'composer',
  mode: 'prompt',
  draft: '',
  ghost: '',
  footer: '⏸ ask mode on · ? for shortcuts',
  menu: [],
};

/** The agent's own drawing, as a terminal that drops nothing would show it. */
function screenOf(view: Partial<View>): Screen {
  const frame = renderFrame(
    { header: 'demo agent 1.0.0', blocks: [], bottom: composer, ...view },
    size,
  );
  const rows = parseScreenRows(frame.rows.map((row) => `\x1b[0m${row}`).join('\n'));
  return { rows, cols: size.cols, cursor: frame.cursor, title: '' };
}

const read = (view: Partial<View>) => demo.readScreen(screenOf(view));
const footer = (text: string): Bottom => ({ ...composer, footer: text });
const dialogText = [
  rule,
  ' Bash command',
  '   rm build/tmp.txt',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. No',
  ' Esc to cancel',
].join('\n');
const spinner = '✻ Working… (3s)';
const empty = { text: '', empty: true, mode: 'prompt', row: expect.any(Number) };

describe('readScreen, states by position', () => {
  it('is idle with an empty composer, also under ghost text', () => {
    expect(read({})).toEqual({ state: 'idle', composer: empty });
    expect(read({ bottom: { ...composer, ghost: 'Try this' } })).toEqual({
      state: 'idle',
      composer: empty,
    });
  });

  it('is idle in skip mode, after a finished turn, and while C-c waits for its second press', () => {
    expect(read({ bottom: footer('⏵⏵ skip mode on') }).state).toBe('idle');
    expect(read({ blocks: [{ kind: 'done', text: '218' }] }).state).toBe('idle');
    expect(read({ bottom: footer('Press Ctrl-C again to exit') }).state).toBe('idle');
  });

  it('is working by the spinner as well as by the footer', () => {
    const busy = footer('⏸ ask mode on · esc to interrupt');
    expect(read({ busySeconds: 3, bottom: busy }).state).toBe('working');
    expect(read({ busySeconds: 0 }).state).toBe('working');
    expect(read({ bottom: busy }).state).toBe('working');
  });

  it('is limited by the footer', () => {
    expect(read({ bottom: footer('⏸ ask mode on · ⚠ Usage limit reached') })).toMatchObject({
      state: 'limited',
      detail: 'limit',
    });
  });

  it('is starting behind the splash and unknown on anything else', () => {
    expect(read({ bottom: { kind: 'splash' } })).toEqual({ state: 'starting' });
    expect(demo.readScreen(plainScreen('')).state).toBe('unknown');
    expect(demo.readScreen(plainScreen('unfamiliar\n  full-screen\n picture ❯')).state).toBe(
      'unknown',
    );
    expect(read({ bottom: footer('⏸ another mode on') }).state).toBe('unknown');
  });

  it('is unknown when something stands below the footer, as after the agent ended', () => {
    const { rows, ...rest } = screenOf({});
    const ended = [...rows, ...plainScreen('\n[mam] agent ended with status 3; screen kept').rows];
    expect(demo.readScreen({ ...rest, rows: ended }).state).toBe('unknown');
  });
});

describe('readScreen, dialogs', () => {
  const awaiting = (bottom: Bottom) => read({ bottom });
  const labels = (bottom: Bottom) =>
    awaiting(bottom).dialog?.options.map(({ label, marked }) => (marked ? `*${label}` : label));

  it('reads a permission question', () => {
    const bottom = { kind: 'dialog', dialog: permissionDialog('rm x') } as const;
    expect(awaiting(bottom)).toMatchObject({
      state: 'awaiting-approval',
      detail: 'permission',
      dialog: { title: 'Bash command · rm x · Do you want to proceed?' },
    });
    expect(awaiting(bottom).composer).toBeUndefined();
    expect(labels(bottom)).toEqual(['*Yes', 'Yes, and always allow rm x', 'No']);
  });

  it('reads a question of the model, the mark moved', () => {
    const dialog = { ...questionDialog('Which?', ['A', 'B or C']), marked: 1 };
    expect(awaiting({ kind: 'dialog', dialog })).toMatchObject({
      state: 'awaiting-answer',
      detail: 'question',
    });
    expect(labels({ kind: 'dialog', dialog })).toEqual(['A', '*B or C']);
  });

  it('reads the trust question in both orders, and its answers by their words', () => {
    for (const yesFirst of [false, true]) {
      const reading = awaiting({ kind: 'dialog', dialog: trustDialog('/w', yesFirst) });
      expect(reading).toMatchObject({ state: 'awaiting-approval', detail: 'trust' });
      const yes = reading.dialog?.options.filter(({ label }) =>
        reading.dialog?.rule.yes?.test(label),
      );
      expect(yes).toMatchObject([{ label: 'Yes, I trust this folder', marked: yesFirst }]);
    }
  });

  it('reads that nobody is signed in', () => {
    expect(awaiting({ kind: 'dialog', dialog: loginDialog() })).toMatchObject({
      state: 'awaiting-answer',
      detail: 'login',
      dialog: { options: [] },
    });
  });

  it('answers a permission by `Yes` and `No` alone', () => {
    const rule = demo.card.dialogs.find((each) => each.id === 'permission');
    const options = permissionDialog('rm x').options;
    expect(options.filter((label) => rule?.yes?.test(label))).toEqual(['Yes']);
    expect(options.filter((label) => rule?.no?.test(label))).toEqual(['No']);
  });

  it('does not know a dialog that lacks its last row or has something below it', () => {
    const rows = dialogText.split('\n');
    expect(demo.readScreen(plainScreen(dialogText)).state).toBe('awaiting-approval');
    expect(demo.readScreen(plainScreen(rows.slice(0, -1).join('\n'))).state).toBe('unknown');
    expect(demo.readScreen(plainScreen(`${dialogText}\n❯ more`)).state).toBe('unknown');
    expect(demo.readScreen(plainScreen(rows.slice(1).join('\n'))).state).toBe('unknown');
    const withRow = (row: string, added: string) =>
      demo.readScreen(plainScreen(dialogText.replace(row, `${added}\n${row}`))).state;
    expect(withRow(' Esc to cancel', ' or else')).toBe('unknown');
    expect(withRow(' ❯ 1. Yes', ' or with this?')).toBe('unknown');
  });
});

describe('readScreen, what is only quoted', () => {
  const quoted: readonly Block[] = [
    { kind: 'prompt', text: `${spinner}\n${dialogText}` },
    { kind: 'answer', text: `${dialogText}\n${rule}\n❯\u00a0draft\n${rule}\n  ⏵⏵ skip mode on` },
  ];

  it('is idle under an answer that quotes dialogs, composers and spinners', () => {
    expect(read({ blocks: quoted })).toEqual({ state: 'idle', composer: empty });
    expect(read({ blocks: [{ kind: 'answer', text: `x\n${spinner}` }] }).state).toBe('idle');
    expect(read({ blocks: [{ kind: 'answer', text: spinner }] }).state).toBe('idle');
  });

  it('is idle under an old spinner further up', () => {
    const above = `${spinner}\n\n● answer\n${'\n'.repeat(20)}`;
    const { rows, cursor, ...rest } = screenOf({ bottom: footer('⏵⏵ skip mode on') });
    const added = plainScreen(above).rows;
    const screen = {
      ...rest,
      rows: [...added, ...rows],
      cursor: { x: 2, y: cursor.y + added.length },
    };
    expect(demo.readScreen(screen).state).toBe('idle');
  });

  it('is working under an echoed question and a live spinner', () => {
    expect(read({ blocks: quoted, busySeconds: 1 }).state).toBe('working');
  });

  it('is idle with a draft that quotes all of it', () => {
    const draft = `say esc to interrupt\n${dialogText}\n${spinner}\n❯\u00a0x`;
    const reading = read({ bottom: { ...composer, draft } });
    expect(reading.state).toBe('idle');
    expect(reading.composer?.empty).toBe(false);
    expect(demo.composerHolds(found(reading.composer), demo.planTyping('x'))).toBe(false);
  });

  it('sees a dialog under an answer that quotes a composer', () => {
    const dialog = permissionDialog('rm x');
    expect(read({ blocks: quoted, bottom: { kind: 'dialog', dialog } }).state).toBe(
      'awaiting-approval',
    );
  });
});

describe('readScreen, the composer', () => {
  it('is not empty when the cursor stands behind something that is not shown', () => {
    const screen = screenOf({});
    const { x, y } = screen.cursor;
    expect(demo.readScreen({ ...screen, cursor: { x: x + 2, y } }).composer?.empty).toBe(false);
    expect(demo.readScreen({ ...screen, cursor: { x: 9, y: 0 } }).composer?.empty).toBe(true);
  });

  it('is of another mode behind a shell sign or above an open menu', () => {
    const shell = read({ bottom: { ...composer, mode: 'shell', draft: 'ls' } });
    expect(shell.composer).toEqual({ text: 'ls', empty: false, mode: 'shell', row: 3 });
    expect(read({ bottom: { ...composer, mode: 'shell' } }).composer?.empty).toBe(false);
    const menu = read({ bottom: { ...composer, draft: '/clear', menu: ['/clear  start anew'] } });
    expect(menu).toMatchObject({ state: 'idle', detail: 'menu', composer: { mode: 'other' } });
  });

  it('holds what was pasted, whatever it is', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '\n',
        ' ',
        '\t',
        rule,
        spinner,
        ' ❯ 1. Yes',
        '/clear',
        '!ls',
        '日本語 ',
        '🙂',
      ),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, text, (mine, other) => {
        fc.pre(mine.trim() !== '');
        const plan = demo.planTyping(mine);
        const reading = read({ bottom: { ...composer, ...pasted(plan.typed) } });
        expect(reading.state).toBe('idle');
        expect(reading.composer?.mode).toBe('prompt');
        expect(demo.composerHolds(found(reading.composer), plan)).toBe(true);
        const foreign = read({ bottom: { ...composer, ...pasted(plan.typed, `z${other}`) } });
        expect(demo.composerHolds(found(foreign.composer), plan)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

function pasted(text: string, typedBefore = ''): { draft: string; mode: 'prompt' | 'shell' } {
  const draft = new Draft({ slashMenu: false });
  draft.type(typedBefore);
  draft.paste(text);
  return { draft: draft.shown, mode: draft.mode };
}

function found(composer: Composer | undefined): Composer {
  if (composer === undefined) throw new Error('no composer was read');
  return composer;
}
