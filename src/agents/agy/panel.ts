import type { Screen } from '../../domain/screen.ts';
import { readFooter } from './footer.ts';

/** Keys of lists and overlays that a command opened; below them stands at most the footer. */
const KEYS = /^Keyboard: |^ {2}(?:↑\/↓ Navigate · enter Edit · Esc Clear|f2 Rename {2})/;

/** `/help`, `/model`, `/config`, `/resume`, `/artifact` and the like: text that is typed goes to them. */
export function isPanel({ rows, cols }: Screen): boolean {
  const filled = rows.filter(({ text }) => text.trim() !== '');
  const last = filled.at(-1);
  const keys = last && readFooter(last, cols) ? filled.at(-2) : last;
  return KEYS.test(keys?.text.trimEnd() ?? '');
}
