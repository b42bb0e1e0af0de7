import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer, ScreenReading } from '../../ports/agent-adapter.ts';
import { withoutGhost } from '../shared/ghost-text.ts';
import { type ComposerFrame, findComposerFrame, lastFilledRow } from '../shared/screen-regions.ts';
import { readDialog } from './dialog-reading.ts';

const FOOTER = /^ {2}(?:⏸ ask mode on|⏵⏵ skip mode on|Press Ctrl-[CD] again to exit)(?: · .*)?$/;
const BUSY_FOOTER = / · esc to interrupt$/;
const LIMIT_FOOTER = / · ⚠ Usage limit reached$/;
const SPINNER = /^✻ Working…(?: \(\d+s\))?$/;
const MENU_ROW = /^ {2}\/[a-z]/;
const SIGN_WIDTH = 2;

/**
 * Judges by position only. A composer is what stands between the last two rules, a dialog what stands
 * below the last one; both beat anything above them, so that a quoted dialog or an old spinner in the
 * transcript says nothing.
 */
export function readScreen(screen: Screen): ScreenReading {
  return readComposerScreen(screen) ?? readDialog(screen) ?? readSplash(screen);
}

function readComposerScreen(screen: Screen): ScreenReading | undefined {
  const frame = findComposerFrame(screen);
  const composer = frame && readComposer(frame, screen);
  if (frame === undefined || composer === undefined) return undefined;
  const [footer = '', ...below] = frame.footer.map((row) => row.text.trimEnd());
  if (!FOOTER.test(footer)) return { state: 'unknown', composer };
  if (below.length > 0) return readBelowFooter(below, composer);
  if (BUSY_FOOTER.test(footer) || hasSpinner(screen.rows.slice(0, frame.top)))
    return { state: 'working', composer };
  if (LIMIT_FOOTER.test(footer)) return { state: 'limited', detail: 'limit', composer };
  return { state: 'idle', composer };
}

/** While the completion menu is open, Enter does not submit: its composer is not the prompt's. */
function readBelowFooter(below: readonly string[], composer: Composer): ScreenReading {
  if (!below.every((row) => MENU_ROW.test(row))) return { state: 'unknown', composer };
  return { state: 'idle', detail: 'menu', composer: { ...composer, mode: 'other' } };
}

function readComposer(frame: ComposerFrame, screen: Screen): Composer | undefined {
  const rows = frame.inside.map(withoutGhost);
  const mode = modeOf(rows[0] ?? '');
  if (mode === undefined || !rows.slice(1).every(isContinuation)) return undefined;
  const text = rows.map((row) => row.slice(SIGN_WIDTH)).join('\n');
  const empty = mode === 'prompt' && text.trim() === '' && !cursorIsBehindText(frame, screen);
  return { text, empty, mode, row: frame.top + 1 };
}

function modeOf(row: string): Composer['mode'] | undefined {
  if (row.startsWith('❯\u00a0')) return 'prompt';
  return row.startsWith('!\u00a0') ? 'shell' : undefined;
}

function isContinuation(row: string): boolean {
  return row.startsWith('  ') || row.trim() === '';
}

/** The cursor stands at the end of the draft, also where the terminal shows nothing of it. */
function cursorIsBehindText(frame: ComposerFrame, screen: Screen): boolean {
  const { x, y } = screen.cursor;
  const inside = y > frame.top && y < frame.bottom;
  return inside && (y > frame.top + 1 || x > SIGN_WIDTH);
}

/** The spinner stands directly above the composer; one further up is history. */
function hasSpinner(above: readonly ScreenRow[]): boolean {
  return SPINNER.test(above[lastFilledRow(above)]?.text.trimEnd() ?? '');
}

function readSplash(screen: Screen): ScreenReading {
  const filled = screen.rows.map((row) => row.text.trimEnd()).filter((text) => text !== '');
  const [header = '', splash, ...rest] = filled;
  const starting = header.startsWith('demo agent ') && splash === 'Starting up…';
  return { state: starting && rest.length === 0 ? 'starting' : 'unknown' };
}
