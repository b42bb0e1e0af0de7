import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer } from '../../ports/agent-adapter.ts';
import { withoutGhost } from '../shared/ghost-text.ts';
import type { ComposerFrame } from '../shared/screen-regions.ts';

const SIGN_WIDTH = 2;

/**
 * The draft between the two rules: `❯` (prompt) or `!` (shell mode), U+00A0, text; further rows are
 * indented by two. Suggestions are dim (SGR 2) behind one reverse cell.
 *
 * The cursor stands at column 2 in an empty composer and with a suggestion, else behind the draft or
 * its placeholder; rows wrap four columns before the screen's width, at words. A draft of blank rows
 * only is not empty: what is pasted would get them in front.
 *
 * @returns `undefined` when the frame holds something else, such as a dialog.
 */
export function readComposer(frame: ComposerFrame, screen: Screen): Composer | undefined {
  const sign = /^(\S)\u00a0/.exec(frame.inside[0]?.text ?? '')?.[1];
  if (sign === undefined || !frame.inside.slice(1).every(isContinuation)) return undefined;
  const rows = frame.inside.map((row) => withoutGhost(row).slice(SIGN_WIDTH).trimEnd());
  const mode = modeOf(sign, frame.footer, screen.rows[frame.top - 1]);
  const empty = mode === 'prompt' && rows.length === 1 && rows[0] === '';
  return { text: rows.join('\n').trimEnd(), empty, mode, row: frame.top + 1 };
}

/** In another mode Enter does not send the draft as a prompt. */
function modeOf(
  sign: string,
  footer: readonly ScreenRow[],
  rowAbove: ScreenRow | undefined,
): Composer['mode'] {
  if (sign === '!') return 'shell';
  if (sign !== '❯' || isSearch(footer) || isMenu(footer)) return 'other';
  // In the alternate screen the menu stands above the composer.
  return COMMAND_CHOICE.test(rowAbove?.text ?? '') ? 'other' : 'prompt';
}

/** `ctrl+r`: what is typed goes to the search. */
function isSearch(footer: readonly ScreenRow[]): boolean {
  return /^ {2}search prompts:/.test(footer[0]?.text ?? '');
}

const COMMAND_CHOICE = /^ *(?:❯ )?\/[\w:-]+(?: \([^)]*\))? {2,}\S/;
const FILE_CHOICE = /^ *(?:❯ )?[+*] \S/;
const EMOJI_CHOICE = /^ *(?:❯ )?\S{1,8} +:[\w+-]+:$/;

/** A completion menu in the footer's place: Enter takes its choice. */
function isMenu(footer: readonly ScreenRow[]): boolean {
  const first = footer[0]?.text.trimEnd() ?? '';
  return [COMMAND_CHOICE, FILE_CHOICE, EMOJI_CHOICE].some((choice) => choice.test(first));
}

function isContinuation(row: ScreenRow): boolean {
  return row.text.trim() === '' || row.text.startsWith('  ');
}
