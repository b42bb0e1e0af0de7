import type { Directive } from './directives.ts';

const ECHO_CHARS = 200;
const RECALLED_MESSAGES = 20;
const RECALLED_CHARS = 60;

/**
 * The whole intelligence of the demo agent: says what it was told to say, else what it remembers
 * when asked to recall, else repeats the prompt's first 200 characters.
 *
 * @param earlier - The user's earlier messages of this conversation, oldest first.
 */
export function answerTo(
  prompt: string,
  earlier: readonly string[],
  directives: readonly Directive[],
): string {
  const said = directives.flatMap((each) => (each.kind === 'say' ? [each.text] : []));
  if (said.length > 0) return said.join('\n\n');
  if (/\brecall\b/i.test(prompt)) return recall(earlier);
  return `echo: ${firstChars(prompt, ECHO_CHARS)}`;
}

function recall(earlier: readonly string[]): string {
  const quotes = earlier
    .slice(0, RECALLED_MESSAGES)
    .map((text) => `"${firstChars(text, RECALLED_CHARS)}"`);
  const list = quotes.length === 0 ? '' : `: ${quotes.join(', ')}`;
  return `I remember ${earlier.length} earlier messages${list}`;
}

/** Counts code points: no character is cut in half. */
function firstChars(text: string, count: number): string {
  return [...text.slice(0, count * 2)].slice(0, count).join('');
}
