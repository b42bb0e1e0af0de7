import { parseScreenRows, type Screen, type ScreenRow } from '../../domain/screen.ts';

/** A screen as plain text: trailing blanks of rows and trailing empty rows removed. */
export function screenText(screen: Screen | undefined): string {
  return rowsText(screen?.rows ?? []);
}

/** The same of `capture-pane -e -p` output. */
export function plainText(captured: string): string {
  return rowsText(parseScreenRows(captured));
}

function rowsText(rows: readonly ScreenRow[]): string {
  return rows
    .map(({ text }) => text.trimEnd())
    .join('\n')
    .replace(/\n+$/, '');
}
