import { parseScreenRows, type Screen } from '../../domain/screen.ts';

/** A screen as plain text: trailing blanks of rows and trailing empty rows removed. */
export function screenText(screen: Screen | undefined): string {
  const rows = (screen?.rows ?? []).map(({ text }) => text.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  return rows.join('\n');
}

/** The same of `capture-pane -e -p` output. */
export function plainText(captured: string): string {
  const rows = parseScreenRows(captured).map(({ text }) => text.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  return rows.join('\n');
}
