import type { Screen } from '../../domain/screen.ts';
import type { Composer, ScreenReading } from '../../ports/agent-adapter.ts';
import { type ComposerFrame, findComposerFrame, readComposer } from './composer.ts';
import { readDialog } from './dialogs.ts';

/**
 * Judges by position: the composer at the bottom with what stands directly above it, else the box that
 * ends the screen. The title is the second word, for it says Ready in the trust and login dialogs, and
 * Working while the quota's menu is open.
 */
export function readScreen(screen: Screen): ScreenReading {
  const frame = findComposerFrame(screen);
  const composer = frame && readComposer(frame);
  if (frame !== undefined && composer !== undefined) return readFrame(screen, frame, composer);
  return readDialog(screen) ?? readRest(screen);
}

/** `⠸ Thinking... (esc to cancel, 1s)`; the words between are the model's own, or a hook's. */
const SPINNER = /^ ?[\u2800-\u28ff⊶⊷] .*\(esc to cancel(?:, [^)]*)?\)/u;
const WORKING_TITLE = /^(?:✦|⏲) /u;
const ASKING_TITLE = /^✋ /u;

function readFrame(screen: Screen, frame: ComposerFrame, composer: Composer): ScreenReading {
  const above = screen.rows.slice(0, frame.rule).map(({ text }) => text.trimEnd());
  if (isFirstDraw(above)) return { state: 'starting' };
  if (composer.mode === 'other') return { state: 'unknown', composer };
  const isBusy = above.slice(-SPINNER_ROWS).some((row) => SPINNER.test(row));
  if (isBusy || WORKING_TITLE.test(screen.title)) return { state: 'working', composer };
  if (ASKING_TITLE.test(screen.title)) return { state: 'unknown', composer };
  return { state: 'idle', composer };
}

/** The spinner is the last row above the rule, with at most a hint or two between. */
const SPINNER_ROWS = 3;

/**
 * Before it has read its settings, and the conversation that it resumes, it draws the composer with
 * nothing above; what is entered then may be lost.
 */
function isFirstDraw(above: readonly string[]): boolean {
  return above.every((row) => row === '' || /^ *\? for shortcuts$/.test(row));
}

const FAREWELL = /^│ {2}Agent powering down\. Goodbye!/;

/** No composer and no dialog. */
function readRest(screen: Screen): ScreenReading {
  const filled = screen.rows.filter(({ text }) => text.trim() !== '');
  const at = filled.findLastIndex(({ text }) => FAREWELL.test(text));
  if (at !== -1 && filled.slice(at).some(({ text }) => LAST_WORDS.test(text)))
    return { state: 'exited' };
  return { state: 'unknown' };
}

const LAST_WORDS = /^│ {2}To resume this session: gemini --resume /;
