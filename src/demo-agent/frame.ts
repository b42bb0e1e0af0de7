import { textWidth } from './char-width.ts';
import type { Dialog } from './dialog.ts';
import type { DraftMode } from './draft.ts';
import { clipMiddle, clipRow, wrapText } from './wrap.ts';

/** One piece of the transcript. `done` gives whole seconds as text. */
export interface Block {
  readonly kind: 'prompt' | 'shell' | 'answer' | 'notice' | 'done';
  readonly text: string;
}

/** What stands below the transcript. */
export type Bottom =
  | { readonly kind: 'splash' }
  | { readonly kind: 'dialog'; readonly dialog: Dialog }
  | {
      readonly kind: 'composer';
      readonly mode: DraftMode;
      readonly draft: string;
      readonly ghost: string;
      readonly footer: string;
      readonly menu: readonly string[];
    };

export interface View {
  readonly header: string;
  readonly blocks: readonly Block[];
  /** Whole seconds of the running turn. */
  readonly busySeconds?: number;
  readonly bottom: Bottom;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Rows to draw, top first, none wider than the terminal; the cursor counts from 0. */
export interface Frame {
  readonly rows: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

interface Part {
  readonly rows: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

const NBSP = '\u00a0';
const INDENT = '  ';
/** Longest block drawn whole; the stored conversation has all of it. */
const SHOWN_CHARS = 4000;
/** Fewest rows left for what stands above the composer. */
const ROWS_ABOVE = 2;

/** Draws the whole screen. Pure. What does not fit is cut off at the top. */
export function renderFrame(view: View, size: Size): Frame {
  const bottom = renderBottom(view.bottom, size);
  const above = renderAbove(view, size.cols);
  const room = Math.max(0, size.rows - bottom.rows.length);
  const kept = above.slice(Math.max(0, above.length - room));
  const rows = [...kept, ...bottom.rows].slice(0, size.rows);
  return {
    rows,
    cursor: { x: Math.min(bottom.cursor.x, size.cols - 1), y: kept.length + bottom.cursor.y },
  };
}

function renderAbove(view: View, cols: number): string[] {
  const rows = [clipRow(view.header, cols), ''];
  for (const block of view.blocks) rows.push(...renderBlock(block, cols), '');
  if (view.busySeconds !== undefined) rows.push(`✻ Working… (${view.busySeconds}s)`, '');
  return rows;
}

function renderBlock(block: Block, cols: number): string[] {
  switch (block.kind) {
    case 'prompt':
      return hang('❯ ', block.text, cols);
    case 'shell':
      return hang('! ', block.text, cols);
    case 'answer':
      return hang('● ', block.text, cols);
    case 'notice':
      return hang('  ⎿  ', block.text, cols);
    case 'done':
      return [`✻ Worked for ${block.text}s`];
  }
}

/** The sign in front of the first row, as many blanks in front of the others. */
function hang(sign: string, text: string, cols: number): string[] {
  const indent = ' '.repeat(textWidth(sign));
  return wrapText(clipMiddle(text, SHOWN_CHARS), cols - indent.length).map(
    (row, i) => (i === 0 ? sign : indent) + row,
  );
}

function renderBottom(bottom: Bottom, size: Size): Part {
  switch (bottom.kind) {
    case 'splash':
      return { rows: ['Starting up…'], cursor: { x: 0, y: 1 } };
    case 'dialog':
      return renderDialog(bottom.dialog, size.cols);
    case 'composer':
      return renderComposer(bottom, size);
  }
}

function renderDialog(dialog: Dialog, cols: number): Part {
  const options = dialog.options.map((option, i) => {
    const mark = i === dialog.marked ? '❯ ' : INDENT;
    return ` ${mark}${dialog.numbered ? `${i + 1}. ` : ''}${option}`;
  });
  const heading = dialog.heading.map((row) => ` ${row}`);
  const rows = [...heading, ...options, '', ` ${dialog.hint}`].map((row) => clipRow(row, cols));
  const y = 1 + heading.length + dialog.marked;
  return { rows: [rule(cols), ...rows], cursor: { x: 1, y } };
}

function renderComposer(bottom: Bottom & { kind: 'composer' }, size: Size): Part {
  const sign = (bottom.mode === 'shell' ? '!' : '❯') + NBSP;
  const menu = bottom.menu.map((row) => clipRow(INDENT + row, size.cols));
  const room = Math.max(1, size.rows - ROWS_ABOVE - 3 - menu.length);
  // One cell stays free at the end of each row, so that the cursor behind the last character fits.
  const drafted = wrapText(lastChars(bottom.draft, size.cols * size.rows), size.cols - 3);
  const shown = drafted.slice(-room);
  const draft = shown.map((row, i) => (i === 0 ? sign : INDENT) + row);
  if (bottom.draft === '' && bottom.mode === 'prompt' && bottom.ghost !== '')
    draft[0] = sign + renderGhost(bottom.ghost, size.cols - 3);
  const footer = clipRow(INDENT + bottom.footer, size.cols);
  return {
    rows: [rule(size.cols), ...draft, rule(size.cols), footer, ...menu],
    cursor: { x: 2 + textWidth(shown.at(-1) ?? ''), y: shown.length },
  };
}

/** The first letter reverse, as if the cursor stood on it, the rest dim. */
function renderGhost(ghost: string, width: number): string {
  const [first = '', ...rest] = clipRow(ghost, width);
  return `\x1b[7m${first}\x1b[0;2m${rest.join('')}\x1b[0m`;
}

/** Enough of a huge draft to fill the screen; its beginning is not visible anyway. */
function lastChars(text: string, count: number): string {
  return text.length > count ? text.slice(-count) : text;
}

function rule(cols: number): string {
  return '─'.repeat(cols);
}
