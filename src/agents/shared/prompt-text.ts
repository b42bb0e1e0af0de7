import { sha256 } from '../../base/sha256.ts';
/**
 * What may be pasted: CRLF and CR become LF; every other control character except TAB and LF
 * becomes U+FFFD, ESC too, so that a paste-end mark inside a text cannot end the paste.
 */
export function pasteSafe(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');
}

export function sha256Hex(text: string): string {
  return sha256(text);
}

/**
 * What of a text survives a composer that wraps, indents and trims it: NFC without white space and
 * without invisible characters (zero-width, joiners, variation selectors). For comparing only.
 */
export function fingerprint(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu, '');
}

/**
 * True when `shown` is `typed` as a terminal shows it: equal fingerprints, except that characters
 * a terminal may leave out can be missing. tmux 3.3a was seen to drop emoji that its C library does
 * not know (U+1FAE8), unassigned characters, and what exceeds 21 bytes in one cell (the last emoji of
 * a joined family, stacked accents). Nothing but those may be missing and nothing may be added.
 */
export function showsText(shown: string, typed: string): boolean {
  const seen = [...fingerprint(shown)];
  let at = 0;
  for (const char of fingerprint(typed)) {
    if (seen[at] === char) at++;
    else if (!mayBeMissing(char)) return false;
  }
  return at === seen.length;
}

/** The set is built when it is first asked for: that takes a millisecond, and a status never asks. */
function mayBeMissing(char: string): boolean {
  return /[\p{M}\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cn}\p{Co}\p{Cs}]/u.test(
    char,
  );
}

export function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** A word for `sh`, in single quotes. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
