import type { Screen, ScreenRow } from '../../domain/screen.ts';

/** Rows of one look and place, at least. */
const LEAST_ROWS = 3;
const LEAST_WIDTH = 40;

/**
 * Words of the panel that lies over the screen (settings, help, an advertisement), `undefined` without one:
 * rows in the middle of the screen whose ground differs from that at both sides. Composer and status bar
 * may be whole below it, and the cursor in its place. A theme may give the whole screen a ground.
 */
export function readPanel({ rows, cols }: Screen): readonly string[] | undefined {
  const stretches = rows.map((row) => findStretch(row, cols));
  const first = stretches.find(
    (one, at) => one && stretches.slice(at, at + LEAST_ROWS).every((each) => isSame(one, each)),
  );
  if (first === undefined) return undefined;
  const isInside = (at: number) => isSame(first, stretches[at]);
  const top = rows.findIndex((_, at) => isInside(at));
  const bottom = rows.findLastIndex((_, at) => isInside(at));
  return rows.slice(top, bottom + 1).map(({ text }) => cut(text, first));
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly bg: string;
}

function findStretch({ spans }: ScreenRow, cols: number): Stretch | undefined {
  let at = 0;
  let open: Stretch | undefined;
  for (const { text, bg } of spans) {
    const to = at + [...text].length;
    open = open?.bg === bg ? { ...open, to } : { from: at, to, bg };
    const isWide = open.to - open.from >= LEAST_WIDTH;
    if (bg !== '' && open.from > 0 && isWide && isCentred(open, cols)) return open;
    at = to;
  }
  return undefined;
}

function isCentred({ from, to }: Stretch, cols: number): boolean {
  return Math.abs(from - (cols - to)) <= 1;
}

function isSame(a: Stretch, b: Stretch | undefined): boolean {
  return a.from === b?.from && a.to === b.to && a.bg === b.bg;
}

function cut(text: string, { from, to }: Stretch): string {
  return [...text].slice(from, to).join('').trim();
}
