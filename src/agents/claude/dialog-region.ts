import type { Screen } from '../../domain/screen.ts';
import type { DialogOption } from '../../ports/agent-adapter.ts';
import { parseMenu } from '../shared/menu.ts';
import { isRule } from '../shared/screen-regions.ts';

/** A menu at the very bottom of the screen, and what stands around it. */
export interface DialogRegion {
  /** From the dialog's upper edge down to its options; blank rows left out. */
  readonly heading: readonly string[];
  /** What is asked, one row of the heading. */
  readonly title: string;
  readonly options: readonly DialogOption[];
  readonly numbered: boolean;
  /** The last row about keys, for example `Enter to confirm · Esc to cancel`; empty without one. */
  readonly hint: string;
}

/** @returns `undefined` when the bottom of the screen is no menu with a marked option. */
export function readDialogRegion(screen: Screen): DialogRegion | undefined {
  const edges = screen.rows.map((row) => isRule(row, screen.cols) || UPPER_EDGE.test(row.text));
  const all = screen.rows.map((row, at) => ({ text: row.text.trimEnd(), at }));
  // Rules stand inside and below a dialog too: the composer's own, and one before the last option.
  const rows = withoutDescriptions(all.filter(({ at }) => edges[at] !== true));
  const texts = rows.map(({ text }) => text);
  const menu = parseMenu(texts);
  if (menu === undefined) return undefined;
  const below = filled(texts.slice(menu.last + 1));
  if (!below.every((row) => HINT.test(row) || TASK_LIST.test(row))) return undefined;
  const hint = below.findLast((row) => HINT.test(row)) ?? '';
  if (TRANSCRIPT_VIEW.test(hint)) return undefined;
  const firstOption = rows[menu.first]?.at ?? 0;
  const edge = edges.lastIndexOf(true, firstOption);
  const heading = filled(all.slice(edge + 1, firstOption).map(({ text }) => text));
  return {
    heading,
    title: titleOf(heading),
    options: menu.options.map(({ label, marked }) => ({ label: cleanLabel(label), marked })),
    numbered: texts.slice(menu.first, menu.last + 1).some((row) => numberOf(row) > 0),
    hint,
  };
}

/** Of overlays in the alternate screen. */
const UPPER_EDGE = /^▔{10,}/;
/** What may stand below the options; anything else makes them a quotation. */
const HINT =
  /\b(?:Enter|Esc|Tab|Space) to |[←→↑↓]\S* to |\bctrl\+\w to |^[↑↓] \d+ more lines?$|^Next$/;
/** 2.1.197 keeps the list of tasks below a dialog. */
const TASK_LIST = /^\d+ tasks? \(\d+ done|^[◼◻✔☐☒] \S|^… \+\d+ /;
/** Under the conversation in the view of `ctrl+o`. */
const TRANSCRIPT_VIEW = /^Showing detailed transcript/;

interface Row {
  readonly text: string;
  readonly at: number;
}

/**
 * Takes out what stands between two options with successive numbers: 2.1.197 writes descriptions in the
 * column of the labels.
 */
function withoutDescriptions(rows: readonly Row[]): readonly Row[] {
  const numbers = rows.map(({ text }) => numberOf(text));
  return rows.filter((_, i) => {
    if (numbers[i] !== 0) return true;
    const before = numbers.slice(0, i).findLast((number) => number > 0);
    const after = numbers.slice(i).find((number) => number > 0);
    return before === undefined || after !== before + 1;
  });
}

/** 0 for a row that is no numbered option. */
function numberOf(row: string): number {
  return Number(/^\s*(?:❯ )?(\d+)\. /.exec(row)?.[1] ?? 0);
}

/** The last row with a question mark, else the first that is not one of tabs (`☐ Colour`). */
function titleOf(heading: readonly string[]): string {
  const asked = heading.findLast((row) => row.includes('?'));
  return asked ?? heading.find((row) => !/^[☐☒✔←]/.test(row)) ?? '';
}

/** Without the check box, the tick of the present choice and the description beside it. */
function cleanLabel(label: string): string {
  return label
    .replace(/^\[.\] /, '')
    .replace(/ {2,}.*$/, '')
    .replace(/ ✔$/, '');
}

function filled(rows: readonly string[]): string[] {
  return rows.map((row) => row.trim()).filter((row) => row !== '');
}
