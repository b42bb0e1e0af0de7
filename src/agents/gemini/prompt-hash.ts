import { sha256Hex } from '../shared/prompt-text.ts';

/** SHA-256 (hex) of a prompt in Gemini's normal form: the same before and after it. */
export function promptHash(prompt: string): string {
  return sha256Hex(normalizePrompt(prompt));
}

/**
 * What Gemini makes of a text, applied to both sides: CRLF and CR become LF, white space at both ends is
 * cut, controls, U+200B, U+FEFF and marks of text direction go, but for those in a folded paste. Our own
 * escape (typing.ts) goes too.
 */
export function normalizePrompt(prompt: string): string {
  return prompt.replace(/\r\n?/g, '\n').replace(DROPPED, '').trim();
}

const DROPPED =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x80-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
