import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer } from '../../ports/agent-adapter.ts';

/** The picture above the status bar: two rules and the draft between. */
export interface ComposerFrame {
  /** Index of the upper rule. */
  readonly top: number;
  /** Columns left of it: none in a conversation, more on the first view. */
  readonly indent: number;
  readonly inside: readonly ScreenRow[];
  /** A box that stands on the upper rule: a completion, which Enter takes, or prompts that wait. */
  readonly box: Box | undefined;
}

interface Box {
  /** Index of its upper edge. */
  readonly top: number;
  readonly isQueue: boolean;
}

/** Between the lower rule and the row of the mode: a blank one, and what was too wide for that row. */
const GAP_ROWS = 3;
const RULE = /^( *)(─{10,}) *$/;

export function findComposerFrame({ rows }: Screen, modeRow: number): ComposerFrame | undefined {
  const bottom = rows.slice(0, modeRow).findLastIndex(({ text }) => RULE.test(text));
  if (bottom === -1 || modeRow - bottom > GAP_ROWS) return undefined;
  const edge = rows[bottom]?.text.trimEnd();
  const top = rows.slice(0, bottom).findLastIndex(({ text }) => text.trimEnd() === edge);
  if (top === -1) return undefined;
  const indent = RULE.exec(edge ?? '')?.[1]?.length ?? 0;
  const inside = rows.slice(top + 1, bottom);
  if (inside.length === 0 || !isDraft(inside, indent)) return undefined;
  return { top, indent, inside, box: findBox(rows.slice(0, top)) };
}

function isDraft(inside: readonly ScreenRow[], indent: number): boolean {
  const left = ' '.repeat(indent);
  return inside.every(({ text }, i) =>
    i === 0 ? text.startsWith(`${left}❯`) : text.trim() === '' || text.startsWith(`${left}  `),
  );
}

/** On the first view a completion stands below. */
function findBox(above: readonly ScreenRow[]): Box | undefined {
  if (!/^╰─+╯ *$/.test(above.at(-1)?.text ?? '')) return undefined;
  const top = above.findLastIndex(({ text }) => /^╭─+╮ *$/.test(text));
  if (top === -1) return undefined;
  return { top, isQueue: above[top + 1]?.text.startsWith('│ Queued messages:') === true };
}

/** Columns of the sign and the blank behind it. */
const SIGN = 2;
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'Ask anything...',
  'What can I do for you?',
  'Plan something...',
]);

/**
 * The draft, at most five rows of it. A placeholder is one where the cursor stands before it: the same
 * words can be typed.
 *
 * @returns `undefined` while the cursor is elsewhere: then it takes no text.
 */
export function readComposer(
  { top, indent, inside, box }: ComposerFrame,
  { cursor }: Screen,
): Composer | undefined {
  const left = indent + SIGN;
  const row = top + 1;
  const isInside = cursor.y >= row && cursor.y < row + inside.length && cursor.x >= left;
  if (!isInside) return undefined;
  const lines = inside.map(({ text }) => text.slice(left).trimEnd());
  const isAtStart = cursor.x === left && cursor.y === row;
  const isHint = isAtStart && lines.length === 1 && PLACEHOLDERS.has(lines[0] ?? '');
  const text = isHint ? '' : lines.join('\n').trimEnd();
  const mode = box && !box.isQueue ? 'other' : 'prompt';
  return { text, empty: isAtStart && text === '' && lines.length === 1, mode, row };
}
