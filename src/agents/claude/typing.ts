import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import { countNewlines, pasteSafe, showsText } from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';
import { INVISIBLE, promptHash } from './prompt-hash.ts';

/**
 * How a text reaches the model, or one of Claude's commands, by one paste and one Enter. Each escape
 * was seen to be needed and to work in 2.1.332 and 2.1.197:
 *
 * - `!` first runs a shell command, past every hook, dialog and deny rule, also from a folded paste;
 *   `/word` first is a command, over several lines too, and an unknown one is thrown away with the
 *   text. One blank before either makes it text and stays in the prompt. A path such as `/etc/hosts`
 *   is text as it is.
 * - While a completion menu stands open, Enter takes its choice: `/exi` quits, `/re` runs `/recap`,
 *   `@REA` (2.1.197) and `:smi` (2.1.332) are rewritten. A line break at the end keeps the menu
 *   shut, and keeps Enter after a last `\` from being a line break; Claude cuts it.
 * - Controls of text direction make 2.1.332 ask for a second Enter: they are left out, and so are
 *   invisible characters at the start, behind which a `!` could hide.
 */
export function planTyping(text: string): TypingPlan {
  const body = pasteSafe(text)
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(BIDI_CONTROL, '')
    .replace(LEADING_INVISIBLE, '')
    .trimEnd();
  if (isCommand(body))
    return plan('command', 'screen', EXIT_WORDS.has(body.trim()) ? body : `${body}\n`);
  const safe = SWITCHES_MODE.test(body) ? ` ${body}` : body;
  return plan('prompt', 'hook', OPENS_MENU.test(safe) ? `${safe}\n` : safe);
}

/** What the composer shows of our text: the text itself, or the one placeholder for a paste like it. */
export function composerHolds(composer: Composer, { typed }: TypingPlan): boolean {
  if (composer.mode !== 'prompt') return false;
  const placeholder = PLACEHOLDER.exec(composer.text.trim());
  if (placeholder && isFolded(typed)) return Number(placeholder[1] ?? 0) === countNewlines(typed);
  return !composer.empty && showsText(composer.text, typed);
}

/**
 * Claude shows a paste as `[Pasted text #N]` or `[Pasted text #N +K lines]`, K its line breaks, when it
 * has more than 800 UTF-16 units (after TAB became four blanks, before NFC) or more than two breaks. N
 * counts within the process.
 */
export function isFolded(typed: string): boolean {
  return typed.replaceAll('\t', '    ').length > 800 || countNewlines(typed) > 2;
}

const PLACEHOLDER = /^\[Pasted text #\d+(?: \+(\d+) lines)?\]$/;
const BIDI_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LEADING_INVISIBLE = new RegExp(`^(?:${INVISIBLE.source})+`, 'u');

/** Of the plugin and MCP kinds too: `/plugin:name`, `/mcp__server__prompt`. */
const COMMAND_WORD = /^\/[A-Za-z0-9][\w:-]*$/;
const SWITCHES_MODE = /^(?:!|\/[\w:-]*(?:\s|$))/;
const OPENS_MENU = /(?:^|\s)[^\s\w]*[@:/]\S*$|\\$/;

/** Typed alone, blanks around or not, these quit like `/exit`, and nothing makes them text. */
const EXIT_WORDS: ReadonlySet<string> = new Set(['exit', 'quit', ':q', ':q!', ':wq', ':wq!']);

function isCommand(body: string): boolean {
  const visible = body.replace(INVISIBLE, '');
  return EXIT_WORDS.has(visible.trim()) || isSlashCommand(visible, COMMAND_WORD);
}

/**
 * Commands of the user's own and skills fire UserPromptSubmit with the command line as prompt; `/clear`
 * fires SessionEnd and SessionStart; `/cost`, `/model` and unknown ones fire nothing.
 */
function plan(kind: 'prompt' | 'command', evidence: 'hook' | 'screen', typed: string): TypingPlan {
  return { kind, typed, via: 'paste', hash: promptHash(typed), evidence };
}
