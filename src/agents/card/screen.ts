import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer, DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import type { AgentCard, CardComposer, CardDialog, CardScreen } from '../../protocol/agent-card.ts';
import { withoutGhost } from '../shared/ghost-text.ts';
import { parseMenu } from '../shared/menu.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';
import { matchesAny, pattern } from './patterns.ts';

/**
 * Judges by position: a dialog is told by the last row of the screen, a composer by the cursor in it and
 * what may stand below, the state by what stands right above it.
 */
export function screenReader({ screen: card }: AgentCard): (screen: Screen) => ScreenReading {
  const dialogs = (card.dialogs ?? []).map((dialog) => ({ dialog, rule: ruleOf(dialog) }));
  return (screen) => {
    for (const { dialog, rule } of dialogs) {
      const reading = readDialog(screen, dialog, rule);
      if (reading) return reading;
    }
    return readConversation(screen, card) ?? { state: 'unknown' };
  };
}

export function ruleOf({ id, yes, no, policy = 'never', detail = id }: CardDialog): DialogRule {
  const kind = yes === undefined ? 'answer' : 'approval';
  const words = {
    ...(yes === undefined ? {} : { yes: pattern(yes) }),
    ...(no === undefined ? {} : { no: pattern(no) }),
  };
  return { id, kind, ...words, policy, detail };
}

const LONGEST_TITLE = 200;

function readDialog(
  { rows }: Screen,
  { hint, title, mark }: CardDialog,
  rule: DialogRule,
): ScreenReading | undefined {
  const last = lastFilledRow(rows);
  const texts = rows.slice(0, last + 1).map(({ text }) => text.trimEnd());
  if (!pattern(hint).test(texts[last] ?? '')) return undefined;
  const first = texts.findLastIndex((text) => pattern(title).test(text));
  if (first === -1) return undefined;
  const inside = texts.slice(first, last);
  const menu = parseMenu(inside, mark);
  if (menu === undefined) return undefined;
  const words = inside.slice(0, menu.first).join(' ').replace(/\s+/g, ' ').trim();
  const state = rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
  const dialog = { rule, title: words.slice(0, LONGEST_TITLE), options: menu.options };
  return { state, detail: rule.detail, dialog };
}

function readConversation(screen: Screen, card: CardScreen): ScreenReading | undefined {
  const composer = readComposer(screen, card.composer);
  if (composer === undefined) return undefined;
  const above = screen.rows.slice(0, composer.row);
  const last = above.findLast(({ text }) => text.trim() !== '')?.text.trimEnd() ?? '';
  if (matchesAny(card.working, last)) return { state: 'working', composer };
  const begins = above.findLastIndex((row) => isPast(row, card.composer));
  const { limited } = card;
  const turn = above.slice(begins + 1).map(({ text }) => text.trimEnd());
  const isLimited = limited !== undefined && turn.some((text) => pattern(limited).test(text));
  return { state: isLimited ? 'limited' : 'idle', composer };
}

interface PlacedComposer extends Composer {
  readonly row: number;
}

/** From the row of its sign to the cursor's, which stands at the end of what mam types. */
function readComposer(screen: Screen, card: CardComposer): PlacedComposer | undefined {
  const { rows, cursor } = screen;
  const row = rows.slice(0, cursor.y + 1).findLastIndex((each) => isFirst(each, card));
  const first = rows[row];
  if (first === undefined) return undefined;
  const width = [...card.sign].length + 1;
  const inside = rows.slice(row, cursor.y + 1).map(withoutGhost);
  const isIndented = inside.slice(1).every((text) => text.slice(0, width).trim() === '');
  const below = rows.slice(cursor.y + 1).map(({ text }) => text.trimEnd());
  const isBelow =
    (below[0] ?? '') === '' && below.every((text) => text === '' || matchesAny(card.below, text));
  if (!isIndented || !isBelow || cursor.x < width) return undefined;
  const lines = inside.map((text) => text.slice(width).trimEnd());
  const text = lines.join('\n').trimEnd();
  const empty = text === '' && lines.length === 1 && cursor.x === width;
  return { text, empty, mode: modeOf(rows, row, card), row };
}

/** A sign of the conversation is dim. */
function isFirst({ text, spans }: ScreenRow, card: CardComposer): boolean {
  const signs = [card.sign, ...(card.shell_sign === undefined ? [] : [card.shell_sign])];
  const isSigned = signs.some((sign) => text === sign || text.startsWith(`${sign} `));
  return isSigned && spans[0]?.dim !== true;
}

function isPast({ text, spans }: ScreenRow, { sign }: CardComposer): boolean {
  return text.startsWith(`${sign} `) && spans[0]?.dim === true;
}

function modeOf(rows: readonly ScreenRow[], row: number, card: CardComposer): Composer['mode'] {
  const { menu, shell_sign: shell } = card;
  if (shell !== undefined && rows[row]?.text.startsWith(shell)) return 'shell';
  const above = rows.slice(0, row).findLast(({ text }) => text.trim() !== '')?.text ?? '';
  return menu !== undefined && pattern(menu).test(above.trimEnd()) ? 'other' : 'prompt';
}
