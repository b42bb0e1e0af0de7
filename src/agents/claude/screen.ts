import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { Composer, ScreenReading } from '../../ports/agent-adapter.ts';
import { type ComposerFrame, findComposerFrame, isRule } from '../shared/screen-regions.ts';
import { readComposer } from './composer.ts';
import { readDialog } from './dialogs.ts';

/**
 * Judges by position only: the composer at the bottom with what stands directly above and below it,
 * else the dialog at the bottom. What the conversation above quotes says nothing. Overlays (`/cost`,
 * `/help`, the transcript view, the rewind list) are `unknown`, with the detail `overlay`.
 */
export function readScreen(screen: Screen): ScreenReading {
  const frame = findComposerFrame(screen);
  const composer = frame && readComposer(frame, screen);
  if (frame !== undefined && composer !== undefined) return readFrame(screen, frame, composer);
  return readDialog(screen) ?? readRest(screen);
}

const FAREWELL = /^Resume this session with:/;
const BUSY_FOOTER = /(?:^| · ) *esc to interrupt(?: · |$| {2})/;
const LIMIT_FOOTER = /^ {2}⚠ Usage limit reached/;
const LOGIN_FOOTER = / Not logged in · /;

function readFrame(screen: Screen, frame: ComposerFrame, composer: Composer): ScreenReading {
  const footer = frame.footer.map((row) => row.text.trimEnd());
  const footerHas = (text: RegExp) => footer.some((row) => text.test(row));
  if (footerHas(FAREWELL)) return { state: 'exited' };
  if (composer.mode === 'other') return { state: 'unknown', composer };
  // With text in the composer the footer no longer says that it is busy: the spinner does.
  if (footerHas(BUSY_FOOTER) || hasSpinner(screen.rows.slice(0, frame.top)))
    return { state: 'working', composer };
  if (footerHas(LIMIT_FOOTER)) return { state: 'limited', detail: 'limit', composer };
  if (footerHas(LOGIN_FOOTER)) return { state: 'awaiting-answer', detail: 'login', composer };
  return { state: 'idle', composer };
}

/** No composer, no dialog: a spinner in the last row is a screen half drawn. */
function readRest(screen: Screen): ScreenReading {
  const last = screen.rows.findLast((row) => row.text.trim() !== '')?.text.trimEnd() ?? '';
  if (isSpinner(last)) return { state: 'working' };
  if (FAREWELL.test(farewellRow(screen.rows))) return { state: 'exited' };
  return hasOverlay(screen) ? { state: 'unknown', detail: 'overlay' } : { state: 'unknown' };
}

/** `/cost`, `/help`, `/config` and the like end with the keys that close them, some with a rule below. */
const OVERLAY_FOOTER =
  /^ {1,4}(?:\S.* · )?Esc to (?:close|cancel|clear|go back)$|^ {2}Showing detailed transcript · /;

function hasOverlay({ rows, cols }: Screen): boolean {
  const filled = rows.filter(({ text }) => text.trim() !== '');
  const last = filled.at(-1);
  const footer = last && isRule(last, cols) ? filled.at(-2) : last;
  return OVERLAY_FOOTER.test(footer?.text.trimEnd() ?? '');
}

/** After `/exit` the last rows are `Resume this session with:` and the command. */
function farewellRow(rows: readonly ScreenRow[]): string {
  const filled = rows.filter((row) => row.text.trim() !== '');
  return filled.at(-2)?.text ?? '';
}

/**
 * The row nearest above the composer that starts in the first column is the spinner's while Claude
 * works; tips, task lists, hints at the right and (2.1.197) queued messages between are indented.
 */
function hasSpinner(above: readonly ScreenRow[]): boolean {
  return isSpinner(above.findLast((row) => /^\S/.test(row.text))?.text.trimEnd() ?? '');
}

/** `✢ Forging…`, `✻ Herding… (8m 39s · ↓ 834 tokens)`; a turn that ended has no `…`. */
const SPINNER = /^[·✢✳✶✻✽*] .*(?:…|…\))(?: \(.*\))?$/u;
/** `✻ 401 overloaded · retrying in 2s · attempt 3/10`, `✻ API error · Retrying in 2s · …`. */
const RETRY = /^[·✢✳✶✻✽*] .* · retrying in \d/i;
/** The bullet of an answer too, hence one word only. */
const THINKING = /^● \p{Lu}\p{Ll}+ing…(?: \(.*\))?$/u;

function isSpinner(row: string): boolean {
  return SPINNER.test(row) || RETRY.test(row) || THINKING.test(row);
}
