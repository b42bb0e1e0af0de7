import type { Screen } from '../../domain/screen.ts';
import type { DialogOption } from '../../ports/agent-adapter.ts';
import { parseMenu } from '../shared/menu.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';

/** A box that ends on the last filled row of the screen, and its menu. */
export interface DialogBox {
  /** What stands above the options, blank rows left out. */
  readonly heading: readonly string[];
  /** Empty where nothing is marked: then it asks for text. */
  readonly options: readonly DialogOption[];
  /** Settings and other lists that a command opens have no numbers. */
  readonly numbered: boolean;
}

/**
 * What is quoted in an answer has the composer below it, so it never ends the screen. The upper edge of
 * a tall box may have left the screen.
 */
export function readDialogBox(screen: Screen): DialogBox | undefined {
  const bottom = lastFilledRow(screen.rows);
  const texts = screen.rows.slice(0, bottom + 1).map(({ text }) => text.trimEnd());
  if (!LOWER_EDGE.test(texts[bottom] ?? '')) return undefined;
  const above = texts.slice(0, bottom);
  const top = above.findLastIndex((text) => !SIDES.test(text));
  const inside = above.slice(top + 1).map(withoutSides);
  const menu = parseMenu(inside, '●');
  const heading = menu ? inside.slice(0, menu.first) : inside;
  return {
    heading: heading.map((row) => row.trim()).filter((row) => row !== ''),
    options: menu?.options ?? [],
    numbered: /^\s*● +\d+\. /.test(inside.findLast((row) => MARKED.test(row)) ?? ''),
  };
}

const LOWER_EDGE = /^ ?╰─{10,}╯$/;
const MARKED = /^\s*● /;
const SIDES = /^ ?│ .* │$/;

function withoutSides(row: string): string {
  return row.replace(/^ ?│ /, '').replace(/ │$/, '').trimEnd();
}
