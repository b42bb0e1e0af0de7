import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import { rowsAtMost } from '../shared/draft-rows.ts';
import { countNewlines, pasteSafe, showsText } from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';
import { promptHash } from './prompt-hash.ts';

/**
 * How a text reaches the model, or one of Cline's commands, by one paste and one Enter. Seen in 3.0.65:
 *
 * - `!`, `?` and words such as `exit` are text. So is a command that it does not know. What begins with `/`
 *   and is no command of one line gets U+2060 before it, which the model sees: a paste that is folded is
 *   still read for `/cwd` and the like. The same before a path of an image, which would become `[Image 1]`.
 * - While a completion stands open, Enter takes it: `/` and `@` open one at the start of a word. A blank at
 *   the end closes it; Cline cuts it.
 * - The composer shows five rows of a draft. What may need more gets line breaks until it is folded: of five
 *   lines on, it shows `[<beginning>... Pasted +5 lines]`.
 */
export function planTyping(text: string): TypingPlan {
  const body = pasteSafe(text).trim();
  if (!/^\s/.test(text) && isSlashCommand(body, COMMAND_WORD)) return plan('command', `${body} `);
  const safe = SLASH.test(body) || IMAGE.test(body) ? `${WORD_JOINER}${body}` : body;
  const lines = countNewlines(safe) + 1;
  if (lines >= FOLDED_LINES) return plan('prompt', safe);
  if (rowsAtMost(safe, LEAST_WIDTH) <= SHOWN_ROWS) return plan('prompt', `${safe} `);
  return plan('prompt', safe + '\n'.repeat(FOLDED_LINES - lines + 1));
}

const FOLDED_LINES = 5;
const SHOWN_ROWS = 5;
const WORD_JOINER = '\u2060';
const COMMAND_WORD = /^\/[A-Za-z?][\w:.-]*$/;
const SLASH = /^\//;
const IMAGE = /^[^\n]*\.(?:png|jpe?g|gif|webp|bmp|svg)['"]?$/i;

/** Half the width of the composer on its first view: a row ends where the next word does not fit. */
const LEAST_WIDTH = 33;

/** What the composer shows of our text: the text itself, or the one placeholder for a paste like it. */
export function composerHolds(composer: Composer, { typed }: TypingPlan): boolean {
  if (composer.mode !== 'prompt' || composer.empty) return false;
  const lines = countNewlines(typed.replace(/\n$/, '')) + 1;
  if (lines < FOLDED_LINES) return showsText(composer.text, typed);
  const shown = composer.text.replace(/ #\d+\]$/, ']');
  return showsText(shown.replace(/\ufffd(?=\.\.\.)/, ''), placeholderOf(typed, lines));
}

const PREVIEW_UNITS = 48;

function placeholderOf(typed: string, lines: number): string {
  const words = typed.trim().replace(/\s+/g, ' ');
  const preview = words.slice(0, PREVIEW_UNITS).replace(/[\ud800-\udbff]$/, '');
  return preview === '' ? `[Pasted +${lines} lines]` : `[${preview}... Pasted +${lines} lines]`;
}

function plan(kind: 'prompt' | 'command', typed: string): TypingPlan {
  const evidence = kind === 'command' ? 'screen' : 'hook';
  return { kind, typed, via: 'paste', hash: promptHash(typed), evidence };
}
