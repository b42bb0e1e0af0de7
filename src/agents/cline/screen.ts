import type { Screen } from '../../domain/screen.ts';
import type { ScreenReading } from '../../ports/agent-adapter.ts';
import { type ComposerFrame, findComposerFrame, readComposer } from './composer.ts';
import { readDialog, readLogin, readPromo } from './dialogs.ts';
import { readPanel } from './panel.ts';
import { findModeRow } from './status-bar.ts';

/**
 * Judges by position: the status bar ends the screen, the composer or a dialog stands on it, the
 * conversation above. The title tells nothing: it is the last prompt.
 */
export function readScreen(screen: Screen): ScreenReading {
  const panel = readPanel(screen);
  if (panel) return readPromo(panel) ?? { state: 'unknown', detail: 'overlay' };
  const modeRow = findModeRow(screen.rows);
  if (modeRow === undefined) return readLogin(screen) ?? readRest(screen);
  const frame = findComposerFrame(screen, modeRow);
  return (frame ? readFrame(screen, frame) : readDialog(screen, modeRow)) ?? { state: 'unknown' };
}

function readFrame(screen: Screen, frame: ComposerFrame): ScreenReading | undefined {
  const composer = readComposer(frame, screen);
  if (composer === undefined) return undefined;
  if (frame.indent > 0) return { state: 'idle', composer };
  const conversation = screen.rows.slice(0, frame.box?.top ?? frame.top);
  const above = conversation.map(({ text }) => readRow(text, screen.cols));
  const entries = above.map(({ text }) => text).filter((text) => text !== '');
  if (isNotThere(entries)) return { state: 'starting' };
  if (entries.some((text) => SPINNER.test(text))) return { state: 'working', composer };
  // A person may have scrolled up: then the newest rows, and the spinner, are not there.
  const isAtEnd = above.at(-1)?.hasThumb || !above.some(({ hasThumb }) => hasThumb);
  return { state: isAtEnd ? 'idle' : 'unknown', composer };
}

/** What it does stands behind a turning sign, in the column of the signs of all entries. */
const SPINNER = /^ [\u2801-\u28ff] /u;

/**
 * A conversation that is resumed is drawn empty at first. One that Cline does not know stays so, and what is
 * entered begins another one under its id; with its daemon it says so.
 */
function isNotThere(entries: readonly string[]): boolean {
  return entries.every((text) => /^ \* Error: Unknown session: /.test(text));
}

interface Row {
  readonly text: string;
  /** The scrollbar's, in the last column: the conversation is longer than the screen. */
  readonly hasThumb: boolean;
}

function readRow(row: string, cols: number): Row {
  const text = row.trimEnd();
  const hasThumb = /[█▄▀]$/.test(text) && [...text].length === cols;
  return { text: hasThumb ? text.slice(0, -1).trimEnd() : text, hasThumb };
}

/** The screen that it leaves. */
function readRest({ rows }: Screen): ScreenReading {
  const isOver =
    /^Session Summary *$/.test(rows[0]?.text ?? '') &&
    rows.some(({ text }) => /^ {2}Continue {2}cline --id \S+ *$/.test(text));
  return { state: isOver ? 'exited' : 'unknown' };
}
