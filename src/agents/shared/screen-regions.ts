import type { Screen, ScreenRow } from '../../domain/screen.ts';

/**
 * True for a horizontal rule drawn by the agent itself: it starts in column 0 and at least half the
 * width of it is unbroken; a short label near its end is allowed (`───── name ─`). What an answer or
 * a draft quotes is indented, so it never starts in column 0.
 */
export function isRule(row: ScreenRow, cols: number): boolean {
  const text = row.text.trimEnd();
  const run = /^─+/.exec(text)?.[0].length ?? 0;
  return run > 0 && run >= cols / 2 && text.endsWith('─');
}

/** Index of the last row with anything in it, -1 on an empty screen. */
export function lastFilledRow(rows: readonly ScreenRow[]): number {
  return rows.findLastIndex((row) => row.text.trim() !== '');
}

/** The picture at the bottom of the screen: two rules, what is between, what is below. */
export interface ComposerFrame {
  /** Index of the upper rule. */
  readonly top: number;
  /** Index of the lower rule. */
  readonly bottom: number;
  readonly inside: readonly ScreenRow[];
  /** Rows below the lower rule down to the last filled one. */
  readonly footer: readonly ScreenRow[];
}

/**
 * The last two rules with at least one row between them, `undefined` when there are no two. Whether
 * a composer stands in it is for the caller to see by the sign of its first row.
 */
export function findComposerFrame(screen: Screen): ComposerFrame | undefined {
  const { rows, cols } = screen;
  const bottom = rows.findLastIndex((row) => isRule(row, cols));
  if (bottom === -1) return undefined;
  const top = rows.slice(0, bottom).findLastIndex((row) => isRule(row, cols));
  if (top === -1 || bottom - top < 2) return undefined;
  return {
    top,
    bottom,
    inside: rows.slice(top + 1, bottom),
    footer: rows.slice(bottom + 1, lastFilledRow(rows) + 1),
  };
}

/** Rows below the last rule down to the last filled one; empty without a rule. */
export function rowsBelowLastRule(screen: Screen): readonly ScreenRow[] {
  const rule = screen.rows.findLastIndex((row) => isRule(row, screen.cols));
  if (rule === -1) return [];
  return screen.rows.slice(rule + 1, lastFilledRow(screen.rows) + 1);
}
