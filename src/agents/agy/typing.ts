import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import { countNewlines, pasteSafe, showsText } from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';
import { promptHash } from './prompt-hash.ts';

/**
 * In a paste `!`, `/` and `?` are text; as keys they open bash mode, the commands and the shortcuts. So
 * everything is pasted but one line that is a command, which is typed.
 */
export function planTyping(text: string): TypingPlan {
  const body = pasteSafe(text).trimEnd();
  const isCommand = isSlashCommand(body, COMMAND_WORD);
  return {
    kind: isCommand ? 'command' : 'prompt',
    typed: isCommand ? body.replaceAll('\t', ' ') : body,
    via: isCommand ? 'keys' : 'paste',
    hash: promptHash(body),
    evidence: isCommand ? 'screen' : 'hook',
  };
}

const COMMAND_WORD = /^\/[a-z][a-z-]*$/;

/** What the composer shows of our text: the text itself, or the one placeholder for a paste like it. */
export function composerHolds(composer: Composer, plan: TypingPlan): boolean {
  if (composer.mode !== 'prompt' || composer.empty) return false;
  const folded = plan.via === 'paste' ? PLACEHOLDER.exec(composer.text.trim()) : null;
  if (folded && isFolded(plan.typed)) return countsLike(folded, plan.typed);
  return showsText(composer.text, plan.typed);
}

/**
 * `[Pasted text #1 +40 lines]` from 16 lines on, `[Pasted text #4 1499 chars]` for more than some 1,000
 * characters (1,000 were shown, 1,024 folded). Whether breaks or lines are counted is not known.
 */
const PLACEHOLDER = /^\[Pasted text #\d+ (?:\+(\d+) lines|(\d+) chars)\]$/;
const FEWEST_LINES = 16;
const FEWEST_CHARS = 1_001;

export function isFolded(typed: string): boolean {
  return typed.length >= FEWEST_CHARS || countNewlines(typed) + 1 >= FEWEST_LINES;
}

function countsLike([, lines, chars]: RegExpExecArray, typed: string): boolean {
  const breaks = countNewlines(typed);
  if (lines !== undefined) return [breaks, breaks + 1].includes(Number(lines));
  return [typed.length, [...typed].length, Buffer.byteLength(typed)].includes(Number(chars));
}
