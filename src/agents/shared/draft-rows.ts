const TAB_WIDTH = 8;

/** At most so many rows of a composer whose rows hold at least `width` columns, however it wraps. */
export function rowsAtMost(text: string, width: number): number {
  const rows = (line: string) => Math.max(1, Math.ceil(columnsAtMost(line) / width));
  return text.split('\n').reduce((sum, line) => sum + rows(line), 0);
}

function columnsAtMost(line: string): number {
  let columns = 0;
  for (const char of line) columns += char === '\t' ? TAB_WIDTH : char < '\u0300' ? 1 : 2;
  return columns;
}
