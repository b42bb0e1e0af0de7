import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import {
  countNewlines,
  fingerprint,
  pasteSafe,
  sha256Hex,
  showsText,
} from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';

const COMMAND_WORD = /^\/[a-z][a-z0-9:-]*$/;
const FOLD_LONGER_THAN_CHARS = 800;
const FOLD_MORE_THAN_LINES = 3;

/**
 * A short slash text is typed as keys, because a pasted one may open the completion menu. Everything
 * else is pasted, with a blank in front of `!` (shell mode) and `/` (menu), which the agent keeps.
 */
export function planTyping(text: string): TypingPlan {
  const safe = pasteSafe(text);
  if (isSlashCommand(safe, COMMAND_WORD)) {
    const typed = safe.trimEnd().replaceAll('\t', ' ');
    return { kind: 'command', typed, via: 'keys', hash: promptHash(typed), evidence: 'screen' };
  }
  const typed = /^[!/]/.test(safe) ? ` ${safe}` : safe;
  return { kind: 'prompt', typed, via: 'paste', hash: promptHash(typed), evidence: 'hook' };
}

/** SHA-256 (hex) of a prompt in the demo agent's normal form: the same before and after it. */
export function promptHash(prompt: string): string {
  return sha256Hex(
    prompt
      .replace(/\r\n?/g, '\n')
      .replace(/[\u200b\ufeff]/g, '')
      .normalize('NFC')
      .trim(),
  );
}

/** Newlines behind our text count as ours: a swallowed Enter leaves them. */
export function composerHolds(composer: Composer, plan: TypingPlan): boolean {
  if (composer.mode !== 'prompt') return false;
  if (plan.via === 'paste' && isFolded(plan.typed)) {
    const lines = countNewlines(plan.typed);
    const more = lines === 0 ? '' : `\\+${lines}lines`;
    return new RegExp(`^\\[Pastedtext#\\d+${more}\\]$`).test(fingerprint(composer.text));
  }
  // A text of characters that the terminal leaves out shows nothing: then only the cursor tells.
  return showsText(composer.text, plan.typed) && !composer.empty;
}

/** The demo agent's own rule: such a paste is shown as a placeholder. */
function isFolded(typed: string): boolean {
  return typed.length > FOLD_LONGER_THAN_CHARS || countNewlines(typed) + 1 > FOLD_MORE_THAN_LINES;
}
