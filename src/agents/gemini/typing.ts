import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import { countNewlines, pasteSafe, showsText } from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';
import { normalizePrompt, promptHash } from './prompt-hash.ts';

/**
 * How a text reaches the model, or one of Gemini's commands, by one paste and one Enter. Seen in 0.61.0:
 *
 * - `!` opens the shell mode only as a key: in a paste it is text. A path such as `/etc/hosts`, and a
 *   command that it does not know, are text as well; white space before a `/` does not help. A text that
 *   begins with one and is no command of one line gets U+2060 before it, which the model sees.
 * - While a completion stands open, Enter takes it. A line break at the end keeps it shut, and keeps
 *   Enter after a last `\` from being a line break; Gemini cuts it.
 * - `@path` takes in the file where there is one, else it is text.
 */
export function planTyping(text: string): TypingPlan {
  const body = normalizePrompt(pasteSafe(text));
  if (/^\s/.test(text) || !isSlashCommand(body, COMMAND_WORD)) {
    const safe = SLASH.test(body) ? `${WORD_JOINER}${body}` : body;
    return plan('prompt', OPENS_MENU.test(safe) ? `${safe}\n` : safe);
  }
  return plan('command', `${body}\n`);
}

/** What the composer shows of our text: the text itself, or the one placeholder for a paste like it. */
export function composerHolds(composer: Composer, { typed }: TypingPlan): boolean {
  if (composer.mode !== 'prompt') return false;
  const shown = composer.text.trim();
  if (!isFolded(typed)) return !composer.empty && showsText(composer.text, typed);
  return PLACEHOLDER.exec(shown)?.[1] === foldedAs(typed);
}

const MOST_LINES = 5;
const MOST_UNITS = 500;
const PLACEHOLDER = /^\[Pasted Text: (\d+ (?:lines|chars))(?: #\d+)?\]$/;

/** More than five lines or 500 UTF-16 units are shown as `[Pasted Text: 302 lines]` or `… 812 chars]`. */
export function isFolded(typed: string): boolean {
  return linesOf(typed) > MOST_LINES || typed.length > MOST_UNITS;
}

function foldedAs(typed: string): string {
  const lines = linesOf(typed);
  return lines > MOST_LINES ? `${lines} lines` : `${typed.length} chars`;
}

function linesOf(typed: string): number {
  return countNewlines(typed) + 1;
}

const WORD_JOINER = '\u2060';
const COMMAND_WORD = /^\/[A-Za-z?][\w:.-]*$/;
const SLASH = /^\/(?![/*])/;
const OPENS_MENU = /@\S*$|\\$/;

function plan(kind: 'prompt' | 'command', typed: string): TypingPlan {
  const evidence = kind === 'command' ? 'screen' : 'hook';
  return { kind, typed, via: 'paste', hash: promptHash(typed), evidence };
}
