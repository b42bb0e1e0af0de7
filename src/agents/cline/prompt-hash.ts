import { sha256Hex } from '../shared/prompt-text.ts';

/** SHA-256 (hex) of a prompt in Cline's normal form: the same before and after it. */
export function promptHash(prompt: string): string {
  return sha256Hex(normalizePrompt(prompt));
}

/**
 * What Cline makes of a text, applied to both sides: its own tags around and in it go, white space at both
 * ends, and our own escape (typing.ts). A mention by path, `@./a` or `@"./a b"`, becomes `[file: a]` or
 * `[image: a]` where there is such a file, and stays as it is where there is none.
 */
export function normalizePrompt(prompt: string): string {
  return prompt
    .replace(/\r\n?/g, '\n')
    .replace(TAGS, '')
    .trim()
    .replace(/^\u2060+/, '')
    .replace(MENTION, '@file')
    .trim();
}

const TAGS = /<\/?user_(?:input|command)\b[^<>]*>/g;
const MENTION =
  /@"(?:\.{0,2}|~)\/[^"\n]*"|@(?:\.{0,2}|~)\/\S*[^\s.,;:!?)\]}'"]|\[(?:file|image): [^\]\n]*\]/g;
