import type { ScreenRow } from '../../domain/screen.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';

const APPROVAL = /^ *(?:⏵⏵ )?Auto-approve all (?:enabled|disabled)\b/;
const MODE = /(?:○ Plan ● Act|● Plan ○ Act) \(Tab\) *$/;
/** From the row of the mode down to the last; above it, what was too wide for its row. */
const BAR_ROWS = 4;

/**
 * Index of the row with `○ Plan ● Act (Tab)`, when the status bar ends the screen: model, mode, folder,
 * and whether tools are approved. While a completion is open on the first view there is none.
 */
export function findModeRow(rows: readonly ScreenRow[]): number | undefined {
  const last = lastFilledRow(rows);
  if (!APPROVAL.test(rows[last]?.text ?? '')) return undefined;
  const from = Math.max(0, last - BAR_ROWS);
  const at = rows.slice(from, last).findLastIndex(({ text }) => MODE.test(text));
  return at === -1 ? undefined : from + at;
}
