import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer } from '../../ports/agent-adapter.ts';
import { isRule, lastFilledRow } from '../shared/screen-regions.ts';

/** The picture at the bottom of the screen. */
export interface ComposerFrame {
  /** Index of the rule that parts it from the conversation. */
  readonly rule: number;
  /** Index of the first row inside. */
  readonly first: number;
  readonly inside: readonly ScreenRow[];
  /** Rows below its lower edge down to the last filled one. */
  readonly footer: readonly ScreenRow[];
}

/** The rule and, at most so many rows below it (mode, hints), the upper edge. */
const HEAD_ROWS = 4;
const UPPER_EDGE = /^▄{10,}$/;
const LOWER_EDGE = /^▀{10,}$/;

/**
 * A rule, a row that names the mode, `▄…`, the draft, `▀…`, the footer. Prompts of the conversation have
 * the same edges and no rule above them. Without true colour the edges are blank, which is why we ask
 * for it (launch.ts).
 */
export function findComposerFrame({ rows, cols }: Screen): ComposerFrame | undefined {
  const rule = rows.findLastIndex((row) => isRule(row, cols) && row.text.trimEnd().endsWith('──'));
  if (rule === -1) return undefined;
  const end = lastFilledRow(rows) + 1;
  const top = rows.findIndex((row, at) => at > rule && isEdge(row, UPPER_EDGE, cols));
  const bottom = rows.findIndex((row, at) => at > top && isEdge(row, LOWER_EDGE, cols));
  if (top === -1 || top - rule > HEAD_ROWS || bottom - top < 2) return undefined;
  return {
    rule,
    first: top + 1,
    inside: rows.slice(top + 1, bottom),
    footer: rows.slice(bottom + 1, end),
  };
}

function isEdge({ text }: ScreenRow, edge: RegExp, cols: number): boolean {
  const drawn = text.trimEnd();
  return edge.test(drawn) && drawn.length >= cols / 2;
}

const SIGN = /^ (\S|\(r:\)) /;
/** Around the sign. */
const BLANKS = 2;
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'Type your message or @path/to/file',
  'Type your shell command',
]);

/**
 * ` > ` (prompt), ` * ` (YOLO) or ` ! ` (shell mode) and the draft; further rows are indented by three.
 * The placeholder stands one column further right, behind the drawn cursor.
 */
export function readComposer(frame: ComposerFrame): Composer | undefined {
  const sign = SIGN.exec(frame.inside[0]?.text ?? '')?.[1];
  if (sign === undefined || !frame.inside.slice(1).every(isContinuation)) return undefined;
  const rows = frame.inside.map(({ text }) => text.slice(sign.length + BLANKS).trimEnd());
  const isHint = rows.length === 1 && rows[0]?.startsWith(' ') === true;
  const isBlank = isHint && PLACEHOLDERS.has(rows[0]?.trim() ?? '');
  const text = isBlank ? '' : rows.join('\n').trimEnd();
  const mode = modeOf(sign, rows.join('\n'), frame.footer);
  const empty = mode === 'prompt' && (isBlank || (rows.length === 1 && text === ''));
  return { text, empty, mode, row: frame.first };
}

/** In another mode Enter does not send the draft as a prompt. */
function modeOf(sign: string, text: string, footer: readonly ScreenRow[]): Composer['mode'] {
  if (sign === '!') return 'shell';
  if (sign !== '>' && sign !== '*') return 'other';
  return OPENS_MENU.test(text) && !isFooter(footer[0]) ? 'other' : 'prompt';
}

/** Where a completion may stand open, and Enter take it: below a draft of one of these forms. */
const OPENS_MENU = /^\/.*$|@\S*$/;

function isFooter(row: ScreenRow | undefined): boolean {
  return row === undefined || /^ \S.*\(\/directory\)/.test(row.text);
}

function isContinuation({ text }: ScreenRow): boolean {
  return text.trim() === '' || text.startsWith('   ');
}
