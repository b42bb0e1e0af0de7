import { demo } from '../../../src/agents/demo/index.ts';
import type { Random } from './random.ts';

type MakeText = (token: string, random: Random) => string;

/** Texts that each go another way through composer and agent; `token` makes each of them unique. */
const kinds: readonly [MakeText, ...MakeText[]] = [
  (token) => `${token} hello`,
  (token) => `1. ${token} begins with a digit that a dialog would take`,
  (token) => `${token} naïve 日本語 🙂 한국어;`,
  (token, random) => `${token}\n${'line\n'.repeat(random.int(1, 9))}end`,
  (token, random) => `${token} ${'long '.repeat(random.int(200, 1_500))}`,
  (token) => `!${token} is no shell command`,
  (token) => `/etc/${token} is no command`,
  (token) => `/model ${token}`,
  (token, random) => `${token} [[delay ${random.int(50, 600)}]]`,
  (token) => `${token} [[permission rm ${token}]]`,
];

export function makeText(token: string, random: Random): string {
  return random.pick(kinds)(token, random);
}

/** What the agent must have taken for it, and as what. */
export function expectedOf(text: string): { readonly mode: string; readonly text: string } {
  const { kind, typed } = demo.planTyping(text);
  return { mode: kind, text: typed.trimEnd() };
}
