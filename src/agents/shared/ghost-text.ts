import type { ScreenRow } from '../../domain/screen.ts';

/**
 * The text of a composer row without suggestion text: dim cells, and the one reverse cell (the drawn
 * cursor) that stands just before them and shows the suggestion's first letter. A reverse cell
 * elsewhere is a cursor on typed text and stays.
 */
export function withoutGhost(row: ScreenRow): string {
  const { spans } = row;
  return spans
    .filter((span, i) => !span.dim && !(isCursorCell(span) && spans[i + 1]?.dim === true))
    .map((span) => span.text)
    .join('');
}

function isCursorCell(span: ScreenRow['spans'][number]): boolean {
  return span.reverse && [...span.text].length === 1;
}
