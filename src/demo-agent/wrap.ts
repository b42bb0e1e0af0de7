import { cells } from './char-width.ts';

const TAB = '    ';

/**
 * Rows of a text, each at most `width` cells: broken at newlines and, without regard to words, where
 * a row is full. A character without width stays with the one before it. TAB shows as four blanks,
 * another control character as U+FFFD.
 *
 * @returns At least one row; a text that ends in a newline ends in an empty row.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(printable(line), Math.max(2, width)));
}

/** The text cut to `width` cells, with `…` in place of what is missing. */
export function clipRow(text: string, width: number): string {
  const rows = wrapText(text.replaceAll('\n', ' '), width);
  if (rows.length <= 1) return rows[0] ?? '';
  const [short = ''] = wrapText(text.replaceAll('\n', ' '), width - 1);
  return `${short}…`;
}

/** The text, or its beginning and end when it is longer than `limit` characters. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = text.slice(0, half);
  const right = text.slice(-half);
  return `${left}\n… ${text.length - 2 * half} more characters …\n${right}`;
}

function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const cell of cells(line)) {
    if (used + cell.width > width) {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += cell.char;
    used += cell.width;
  }
  rows.push(row);
  return rows;
}

function printable(line: string): string {
  return line.replaceAll('\t', TAB).replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd');
}
