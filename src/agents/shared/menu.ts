/** One row of a menu, as shown. */
export interface MenuOption {
  readonly label: string;
  readonly marked: boolean;
}

export interface Menu {
  /** Index of the first option's row in the rows given. */
  readonly first: number;
  /** Index of the last row that belongs to an option. */
  readonly last: number;
  readonly options: readonly MenuOption[];
}

/** What stands in front of the chosen row, one character: `❯` in Claude Code, `●` in Gemini CLI. */
export type MenuMark = string;

/**
 * Reads a menu whose chosen row has the mark: numbered or not, numbers and mark removed. The
 * options are the rows around the mark whose words start in the column of the marked one's; rows that
 * are indented deeper belong to the option above them (wrapped words, descriptions) and are left out.
 *
 * @param rows - The region of the dialog only; the last marked row in it counts.
 * @returns `undefined` without a marked row.
 */
export function parseMenu(rows: readonly string[], sign: MenuMark = '❯'): Menu | undefined {
  const marked = new RegExp(`^(\\s*)${sign} +(?:\\d+\\. )?(.*\\S)\\s*$`);
  const at = rows.findLastIndex((row) => marked.test(row));
  const mark = marked.exec(rows[at] ?? '');
  if (mark === null) return undefined;
  const indent = (mark[1] ?? '').length + 2;
  const numbered = new RegExp(`^\\s*${sign} +\\d+\\. `).test(rows[at] ?? '');
  let first = at;
  while (isMenuRow(rows[first - 1], indent, numbered)) first--;
  while (first < at && isDeeper(rows[first], indent)) first++;
  let last = at;
  while (isMenuRow(rows[last + 1], indent, numbered)) last++;
  const options = rows.slice(first, last + 1).flatMap((row, i) => {
    if (first + i === at) return [{ label: mark[2] ?? '', marked: true }];
    return isDeeper(row, indent) ? [] : [{ label: labelOf(row), marked: false }];
  });
  return { first, last, options };
}

function isMenuRow(row: string | undefined, indent: number, numbered: boolean): boolean {
  if (row === undefined) return false;
  if (isDeeper(row, indent)) return true;
  const here = row.length - row.trimStart().length === indent && row.trim() !== '';
  return here && (!numbered || /^\s*\d+\. /.test(row));
}

function isDeeper(row: string | undefined, indent: number): boolean {
  return row !== undefined && row.trim() !== '' && row.length - row.trimStart().length > indent;
}

function labelOf(row: string): string {
  return row.trim().replace(/^\d+\. /, '');
}
