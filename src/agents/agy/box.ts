import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer } from '../../ports/agent-adapter.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';
import { type Footer, findSurvey, isTaskRow, readFooter, SURVEY_ROWS } from './footer.ts';

/** The box at the bottom, between the lowest two rules of the full width. */
export interface Box {
  /** Index of the upper rule. */
  readonly top: number;
  readonly composer: Composer;
  /** Rows below the lower rule down to the last filled one. */
  readonly below: readonly ScreenRow[];
}

/**
 * `>` or `!`, a blank, the draft; further rows are indented by two. A dialog has such a pair of rules
 * above it as well (a rule stands under its heading), but its heading begins in column 0.
 */
export function findBox({ rows, cols }: Screen): Box | undefined {
  const bottom = rows.findLastIndex((row) => isFullRule(row, cols));
  const top = rows.slice(0, Math.max(0, bottom)).findLastIndex((row) => isFullRule(row, cols));
  if (top === -1) return undefined;
  const [first, ...rest] = rows.slice(top + 1, bottom);
  const sign = /^([>!])(?: |$)/.exec(first?.text ?? '')?.[1];
  if (first === undefined || sign === undefined || !rest.every(isContinuation)) return undefined;
  const lines = [first, ...rest].map(({ text }) => text.slice(2).trimEnd());
  const mode = sign === '!' ? 'shell' : 'prompt';
  return {
    top,
    composer: {
      text: lines.join('\n').trimEnd(),
      empty: mode === 'prompt' && lines.length === 1 && lines[0] === '',
      mode,
      row: top + 1,
    },
    below: rows.slice(bottom + 1, lastFilledRow(rows) + 1),
  };
}

/** The rule above a turn is 60 columns wide, or less: in a narrow pane it is a full one. */
export function isFullRule({ text }: ScreenRow, cols: number): boolean {
  const row = text.trimEnd();
  return row.length === cols && /^─+$/.test(row);
}

function isContinuation({ text }: ScreenRow): boolean {
  return text.trim() === '' || text.startsWith('  ');
}

export interface BelowBox {
  readonly footer: Footer;
  readonly tasks: boolean;
  readonly survey: boolean;
}

/** @returns `undefined` when something else stands there: a popup, a chooser, a panel. */
export function readBelow(rows: readonly ScreenRow[], cols: number): BelowBox | undefined {
  const footer = readFooter(rows.at(-1) ?? { text: '', spans: [] }, cols);
  if (footer === undefined) return undefined;
  const between = rows.slice(0, -1);
  const at = findSurvey(between);
  const rest = at === -1 ? between : between.toSpliced(at, SURVEY_ROWS);
  const filled = rest.filter(({ text }) => text.trim() !== '');
  if (!filled.every(isTaskRow)) return undefined;
  return { footer, tasks: footer.tasks || filled.length > 0, survey: at !== -1 };
}

/** `tab Complete` under the commands that the draft may become. */
const POPUP_HINT = /\btab Complete\b/;
const POPUP_CHOICE = /^> (\/\S+)/;

/**
 * While the popup is open, Enter takes the marked command: the draft is one to be entered only when it is
 * that command.
 */
export function popupMode({ composer, below }: Box): Composer['mode'] | undefined {
  if (!below.some(({ text }) => POPUP_HINT.test(text))) return undefined;
  const marked = below.flatMap(({ text }) => POPUP_CHOICE.exec(text)?.[1] ?? []);
  return marked.length === 1 && marked[0] === composer.text ? 'prompt' : 'other';
}
