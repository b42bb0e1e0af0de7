import { describe, expect, it } from 'vitest';
import { type Bottom, renderFrame, type View } from './frame.ts';

const size = { cols: 20, rows: 12 };
const bottom: Bottom = {
  kind: 'composer',
  mode: 'prompt',
  draft: '',
  ghost: '',
  footer: 'footer',
  menu: [],
};
const view = (draft: string, more: Partial<View> = {}): View => ({
  header: 'demo',
  blocks: [],
  bottom: { ...bottom, draft },
  ...more,
});
const rule = '─'.repeat(20);

describe('renderFrame', () => {
  it('draws an empty composer with the cursor in column 2', () => {
    expect(renderFrame(view(''), size)).toEqual({
      rows: ['demo', '', rule, '❯\u00a0', rule, '  footer'],
      cursor: { x: 2, y: 3 },
    });
  });

  it('wraps a long draft and leaves a cell for the cursor', () => {
    const frame = renderFrame(view('x'.repeat(17)), size);
    expect(frame.rows[3]).toBe(`❯\u00a0${'x'.repeat(17)}`);
    expect(frame.cursor).toEqual({ x: 19, y: 3 });
    const longer = renderFrame(view(`${'日'.repeat(9)}a\nb`), size);
    expect(longer.rows.slice(3, 6)).toEqual([`❯\u00a0${'日'.repeat(8)}`, '  日a', '  b']);
    expect(longer.cursor).toEqual({ x: 3, y: 5 });
  });

  it('shows a tab as four blanks and other control characters as U+FFFD', () => {
    expect(renderFrame(view('a\tb\x1b['), size).rows[3]).toBe('❯\u00a0a    b\ufffd[');
  });

  it('shows ghost text only in an empty composer', () => {
    const ghost = { ...bottom, ghost: 'Try it' } as const;
    const empty = renderFrame({ ...view(''), bottom: ghost }, size);
    expect(empty.rows[3]).toBe('❯\u00a0\x1b[7mT\x1b[0;2mry it\x1b[0m');
    expect(empty.cursor.x).toBe(2);
    const drafted = renderFrame({ ...view(''), bottom: { ...ghost, draft: 'x' } }, size);
    expect(drafted.rows[3]).toBe('❯\u00a0x');
  });

  it('keeps the bottom and cuts the top when the screen is too small', () => {
    const blocks = [{ kind: 'answer', text: 'a\n'.repeat(30) }] as const;
    const frame = renderFrame(view('x', { blocks, busySeconds: 3 }), size);
    expect(frame.rows).toHaveLength(12);
    expect(frame.rows.slice(-6)).toEqual([
      '✻ Working… (3s)',
      '',
      rule,
      '❯\u00a0x',
      rule,
      '  footer',
    ]);
    expect(frame.cursor).toEqual({ x: 3, y: 9 });
  });

  it('shows the end of a draft that does not fit, with the cursor on it', () => {
    const frame = renderFrame(view('a\n'.repeat(50)), size);
    expect(frame.rows).toHaveLength(12);
    expect(frame.rows[frame.cursor.y]).toBe('  ');
    expect(frame.cursor).toEqual({ x: 2, y: 9 });
  });

  it('indents every row of the transcript but the first of a block', () => {
    const blocks = [
      { kind: 'prompt', text: 'one\n❯ 1. Yes' },
      { kind: 'answer', text: `${rule}\n✻ Working…` },
      { kind: 'done', text: '0' },
    ] as const;
    expect(renderFrame(view('', { blocks }), { cols: 30, rows: 20 }).rows.slice(2, 9)).toEqual([
      '❯ one',
      '  ❯ 1. Yes',
      '',
      `● ${rule}`,
      '  ✻ Working…',
      '',
      '✻ Worked for 0s',
    ]);
  });
});
