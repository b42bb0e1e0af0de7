import type { ScreenRow } from '../../domain/screen.ts';

/** What the left half of the last row says. `none`: it is blank, as with a draft in the box. */
export type FooterHint = 'shortcuts' | 'cancel' | 'bash' | 'queued' | 'exit' | 'none';

export interface Footer {
  readonly hint: FooterHint;
  /** Something that a turn started runs on in the background. */
  readonly tasks: boolean;
}

const HINTS: readonly (readonly [RegExp, FooterHint])[] = [
  [/^\? for shortcuts(?: |$)/, 'shortcuts'],
  [/^esc to cancel(?: |$)/, 'cancel'],
  [/^ ?activated bash mode · esc to cancel(?: |$)/, 'bash'],
  [/^ {2}Press up to edit queued messages(?: |$)/, 'queued'],
  [/^press ctrl\+c again to exit(?: |$)/, 'exit'],
];
/** `Gemini 3.8 Flash · high · 1 task(s) · /tasks`; the right end may be cut. */
const TASKS = / · [1-9]\d* task/;
/** A row with nothing at the left is one only when it reaches the right edge, or nearly. */
const RIGHT_GAP = 2;

/** A hint at the left, mode and model at the right. Either may be missing. */
export function readFooter({ text }: ScreenRow, cols: number): Footer | undefined {
  const row = text.trimEnd();
  const tasks = TASKS.test(row);
  const known = HINTS.find(([pattern]) => pattern.test(row));
  if (known) return { hint: known[1], tasks };
  const isRightAligned = /^ {4}/.test(row) && row.length >= cols - RIGHT_GAP;
  return isRightAligned ? { hint: 'none', tasks } : undefined;
}

/** Between the box and the footer: `  ● [03:57:33] go build ./... running`. */
export function isTaskRow({ text }: ScreenRow): boolean {
  return /^ {2}● \[\d\d:\d\d:\d\d\] \S/.test(text);
}

/** Asked after a turn, above the footer, at times in the box's place. Only its digits put it away. */
const SURVEY = [
  /^ ?How['\u2019]s the CLI experience so far\? Help us improve:$/,
  /^ ?\[1\] Good +\[2\] Fine +\[3\] Bad +\[0\] Skip$/,
];

/** Index of the first of the survey's rows, -1 without a survey. */
export function findSurvey(rows: readonly ScreenRow[]): number {
  return rows.findIndex((_, at) =>
    SURVEY.every((pattern, i) => pattern.test(rows[at + i]?.text.trimEnd() ?? '')),
  );
}

export const SURVEY_ROWS = SURVEY.length;
