import { textWidth } from '../../../../src/demo-agent/char-width.ts';
import { clipRow, wrapText } from '../../../../src/demo-agent/wrap.ts';

/** A rule of the box, and of a dialog's heading. */
export function fullRule(cols: number): string {
  return '─'.repeat(cols);
}

/** The rule above a turn. */
export function turnRule(cols: number): string {
  return '─'.repeat(Math.min(60, cols));
}

/** Rows broken at blanks; what follows the first stands in column 0, unless indented. */
export function wrapWords(text: string, cols: number, indent = ''): string[] {
  const rows: string[] = [];
  let row: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = row === undefined ? word : `${row} ${word}`;
    if (textWidth(longer) <= cols - (rows.length > 0 ? indent.length : 0)) row = longer;
    else {
      if (row) rows.push(row);
      const pieces = wrapText(word, cols - indent.length);
      rows.push(...pieces.slice(0, -1));
      row = pieces.at(-1) ?? '';
    }
  }
  return [...rows, row ?? ''].map((each, i) => (i === 0 ? each : indent + each));
}

/** The sign before the first row, as many blanks before the others; broken anywhere. */
export function hang(sign: string, text: string, cols: number): string[] {
  const width = textWidth(sign);
  return wrapText(text, cols - width).map((row, i) =>
    ((i === 0 ? sign : ' '.repeat(width)) + row).trimEnd(),
  );
}

export function clip(row: string, cols: number): string {
  return textWidth(row) <= cols ? row : clipRow(row, cols);
}

/** Two halves of a row; what does not fit is cut at the right edge. */
export function bothEnds(left: string, right: string, cols: number, cut = 0): string {
  const gap = Math.max(right === '' ? 0 : 2, cols + cut - textWidth(left) - textWidth(right));
  return [...`${left}${' '.repeat(gap)}${right}`].slice(0, cols).join('').trimEnd();
}
