import type { Screen } from '../../domain/screen.ts';
import type { DialogOption } from '../../ports/agent-adapter.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';
import { isFullRule } from './box.ts';
import { type FooterHint, readFooter } from './footer.ts';

/** What ends the screen above the footer: a row about keys, and what stands above it. */
export interface DialogRegion {
  /** For example `↑/↓ Navigate · tab Amend`. */
  readonly hint: string;
  readonly footer: FooterHint | undefined;
  /** Rows above the options, or above the hint when there are none; blank ones kept. */
  readonly above: readonly string[];
  /** Empty where nothing is marked. */
  readonly options: readonly DialogOption[];
  readonly numbered: boolean;
}

const HINT =
  /^ {2,3}(?:↑\/↓ Navigate(?: · |$)|enter Submit · esc Back$)|^ *\[Use arrow keys to navigate, Enter to select\]$/;

/** In words: what is typed stands after a `>` of its own. */
const IN_WORDS = /^ *enter Submit/;

/** What is quoted in an answer has the box below it, so it never ends the screen. */
export function readDialogRegion({ rows, cols }: Screen): DialogRegion | undefined {
  const end = lastFilledRow(rows);
  const last = rows[end];
  if (last === undefined) return undefined;
  const footer = readFooter(last, cols);
  const at = footer ? lastFilledRow(rows.slice(0, end)) : end;
  const hint = rows[at]?.text.trimEnd() ?? '';
  if (!HINT.test(hint)) return undefined;
  const heading = rows
    .slice(0, at)
    .map((row) => (isFullRule(row, cols) ? RULE : row.text.trimEnd()));
  const menu = IN_WORDS.test(hint) ? undefined : readMenu(heading);
  return {
    hint: hint.trim(),
    footer: footer?.hint,
    above: menu ? heading.slice(0, menu.first) : heading,
    options: menu?.options ?? [],
    numbered: menu?.numbered ?? false,
  };
}

export const RULE = '─';

interface Menu {
  readonly first: number;
  readonly options: readonly DialogOption[];
  readonly numbered: boolean;
}

/** One option begins with its mark, or as many blanks, and its number; wrapped words go on in column 0. */
const NUMBERED = /^ ?(>| ) (\d+)\. (.*)$/;
const PLAIN = /^(>| ) (\S.*)$/;

/**
 * The last rows before the hint, without a blank one between. Numbers must count from 1, and one option
 * alone must be marked.
 */
function readMenu(rows: readonly string[]): Menu | undefined {
  const end = rows.findLastIndex((row) => row !== '');
  const from = rows.slice(0, end).lastIndexOf('') + 1;
  const block = rows.slice(from, end + 1);
  const numbered = block.some((row) => NUMBERED.test(row));
  const first = block.findIndex((row) => (numbered ? NUMBERED : PLAIN).test(row));
  if (first === -1) return undefined;
  const options: { label: string; marked: boolean; number: number }[] = [];
  for (const row of block.slice(first)) {
    const found = numbered ? NUMBERED.exec(row) : PLAIN.exec(row);
    const previous = options.at(-1);
    if (found) {
      const number = numbered ? Number(found[2]) : options.length + 1;
      options.push({ label: found.at(-1) ?? '', marked: found[1] === '>', number });
    } else if (previous) previous.label += ` ${row.trim()}`;
  }
  const isWhole = options.every(({ number }, i) => number === i + 1);
  if (!isWhole || options.filter(({ marked }) => marked).length !== 1) return undefined;
  const plain = options.map(({ label, marked }) => ({ label: label.trim(), marked }));
  return { first: from + first, options: plain, numbered };
}
