import { BACKGROUND } from '../../domain/activity.ts';
import type { Screen, ScreenRow } from '../../domain/screen.ts';
import type { ScreenReading } from '../../ports/agent-adapter.ts';
import { type Box, findBox, popupMode, readBelow } from './box.ts';
import * as rules from './dialog-rules.ts';
import { readDialog, showing } from './dialogs.ts';
import { type Footer, findSurvey, readFooter, SURVEY_ROWS } from './footer.ts';
import { isPanel } from './panel.ts';

/**
 * Judges by position: the box at the bottom with what stands directly above and below it, else the dialog
 * that ends the screen, else a survey in the box's place; lists that a command opened are `unknown`, with
 * the detail `overlay`. `esc to cancel` says nothing by itself: it stands below all of these too.
 */
export function readScreen(screen: Screen): ScreenReading {
  if (isPanel(screen)) return { state: 'unknown', detail: 'overlay' };
  const box = findBox(screen);
  const reading = box ? readBox(screen, box) : (readDialog(screen) ?? readRest(screen));
  const lost = notFound(screen);
  return lost === undefined ? reading : { ...reading, notFound: lost };
}

/** Puts the survey away without an opinion. */
const SKIP = '0';

function readBox(screen: Screen, box: Box): ScreenReading {
  const { composer } = box;
  // The rules are drawn before the footer; what is typed then is lost.
  if (box.below.length === 0)
    return composer.empty ? { state: 'starting' } : { state: 'unknown', composer };
  const below = readBelow(box.below, screen.cols);
  if (below === undefined)
    return { state: 'unknown', composer: { ...composer, mode: popupMode(box) ?? 'other' } };
  const above = screen.rows.slice(0, box.top).map(({ text }) => text.trimEnd());
  return {
    ...readTurn(above, box, below.footer, below.tasks),
    composer,
    ...(below.survey ? { dismissKey: SKIP } : {}),
  };
}

function readTurn(
  above: readonly string[],
  { composer }: Box,
  { hint }: Footer,
  tasks: boolean,
): ScreenReading {
  if (hasSpinner(above)) return { state: 'working' };
  if (hint === 'cancel' || hint === 'queued') return { state: 'unknown' };
  // With an empty box the hint is there, but while it is being drawn.
  if (hint === 'none' && composer.empty) return { state: 'unknown' };
  if (hasLimit(above)) return { state: 'limited', detail: 'limit' };
  return tasks ? { state: 'working', detail: BACKGROUND } : { state: 'idle' };
}

const SPINNER = /^[\u2801-\u28ff] {1,2}\S/u;
/** What may stand between it and the box: a tip, messages that wait for the end of the turn. */
const ATTACHED = /^(?:└ |▸ )/;
const ARTIFACTS = /^ +\d+ artifacts? · \/artifact to review$/;

/** Nothing but the spinner begins with such a sign in column 0; one further up would be history. */
function hasSpinner(above: readonly string[]): boolean {
  const end = above.findLastIndex((row) => !ARTIFACTS.test(row));
  const at = above.slice(0, end + 1).findLastIndex((row) => SPINNER.test(row));
  if (at === -1) return false;
  const [first, ...rest] = above.slice(at + 1, end + 1);
  if (first === undefined) return true;
  return ATTACHED.test(first) && rest.every((row) => ATTACHED.test(row) || /^ {2,}\S/.test(row));
}

const LIMIT = /\bIndividual quota reached\b/;

/** The note of a used-up quota is the last thing said; answers are indented, notes are not. */
function hasLimit(above: readonly string[]): boolean {
  const end = above.findLastIndex((row) => row !== '' && !ARTIFACTS.test(row));
  const note = above.slice(above.lastIndexOf('', end) + 1, end + 1);
  return /^(?:⚠ |Individual )/.test(note[0] ?? '') && note.some((row) => LIMIT.test(row));
}

/** In a narrow pane on more than one row. */
const NOT_SIGNED_IN =
  /\bWelcome to the Antigravity CLI\. You are currently not signed in\. \S+ +Signing/;
const SIGNING_IN = /^ ?[\u2801-\u28ff] {1,2}Signing in\.\.\.$/u;
const FAREWELL = /^Resume with -c \(or command below\):$/;
const RESUME_COMMAND = /^ *agy --conversation=\S+$/;

/** No box and no dialog. */
function readRest({ rows, cols }: Screen): ScreenReading {
  const filled = rows.filter(({ text }) => text.trim() !== '');
  const texts = filled.map(({ text }) => text.trimEnd());
  const survey = readSurvey(filled, cols);
  if (survey) return survey;
  if (FAREWELL.test(texts.at(-2) ?? '') && RESUME_COMMAND.test(texts.at(-1) ?? ''))
    return { state: 'exited' };
  const said = texts.map((row) => row.trim()).join(' ');
  if (SIGNING_IN.test(texts.at(-1) ?? '') && NOT_SIGNED_IN.test(said))
    return showing({ rule: rules.login, title: 'Signing in...', options: [] });
  return { state: 'unknown' };
}

/** The survey where the box was: it comes back with the key that puts the survey away. */
function readSurvey(filled: readonly ScreenRow[], cols: number): ScreenReading | undefined {
  const last = filled.at(-1);
  const hint = last && readFooter(last, cols)?.hint;
  const isAbove = findSurvey(filled.slice(-1 - SURVEY_ROWS, -1)) === 0;
  if (!isAbove || hint === undefined) return undefined;
  return { state: hint === 'shortcuts' ? 'idle' : 'unknown', dismissKey: SKIP };
}

/** On the very first row; in a narrow pane it takes two or three. */
function notFound({ rows }: Screen): string | undefined {
  const filled = rows.filter(({ text }) => text.trim() !== '').slice(0, WARNING_ROWS);
  const said = filled.map(({ text }) => text).join('');
  return WARNING.exec(said.replaceAll(' ', ''))?.[1];
}

const WARNING = /^warning:conversation"([^"]+)"notfound/;
const WARNING_ROWS = 3;
