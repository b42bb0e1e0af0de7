import { fingerprint, sha256Hex } from '../shared/prompt-text.ts';

/**
 * SHA-256 (hex) of a prompt without white space and invisible characters. What agy makes of tabs, blanks at
 * line ends and normal forms is not known, so nothing of it counts: it is the same before and after.
 */
export function promptHash(prompt: string): string {
  return sha256Hex(fingerprint(prompt));
}
