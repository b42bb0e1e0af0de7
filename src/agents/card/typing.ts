import type { Composer, TypingPlan } from '../../ports/agent-adapter.ts';
import type { AgentCard, CardGuard, CardTyping } from '../../protocol/agent-card.ts';
import { rowsAtMost } from '../shared/draft-rows.ts';
import { pasteSafe, sha256Hex, showsText } from '../shared/prompt-text.ts';
import { isSlashCommand } from '../shared/slash-command.ts';
import { pattern } from './patterns.ts';

/** Both ends cut: the agent cuts them, and so what mam puts there. */
export function promptHash(prompt: string): string {
  return sha256Hex(prompt.trim());
}

export function typingOf({ typing = {} }: AgentCard): {
  planTyping(text: string): TypingPlan;
  composerHolds(composer: Composer, plan: TypingPlan): boolean;
} {
  const { command, guards = [], fold } = typing;
  return {
    planTyping(text) {
      const body = pasteSafe(text).trim();
      const word = command === undefined ? undefined : pattern(command);
      if (word && !/^\s/.test(text) && isSlashCommand(body, word)) return plan('command', body);
      return plan('prompt', foldable(guards.reduce(guarded, body), typing));
    },
    composerHolds(composer, { typed }) {
      if (composer.mode !== 'prompt' || composer.empty) return false;
      const chars = [...typed].length;
      const isFolded = fold !== undefined && chars > fold.above_chars;
      const shown = isFolded ? fold.shows.replace('{chars}', String(chars)) : typed;
      return showsText(composer.text, shown);
    },
  };
}

function plan(kind: 'prompt' | 'command', typed: string): TypingPlan {
  const evidence = kind === 'command' ? 'screen' : 'hook';
  return { kind, typed, via: 'paste', hash: promptHash(typed), evidence };
}

function guarded(body: string, { text, before = '', behind = '' }: CardGuard): string {
  return pattern(text).test(body) ? before + body + behind : body;
}

/** What may need more rows than are shown gets blanks, which the agent cuts, until it is folded. */
function foldable(body: string, { fold, rows }: CardTyping): string {
  const chars = [...body].length;
  if (
    !fold ||
    rows === undefined ||
    chars > fold.above_chars ||
    rowsAtMost(body, LEAST_WIDTH) <= rows
  )
    return body;
  return body + ' '.repeat(fold.above_chars + 1 - chars);
}

/** Half the width of our panes: a row ends where the next word does not fit. */
const LEAST_WIDTH = 60;
