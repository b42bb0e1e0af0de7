import { sha256Hex } from '../shared/prompt-text.ts';

/** SHA-256 (hex) of a prompt in Claude's normal form: the same before and after it. */
export function promptHash(prompt: string): string {
  return sha256Hex(normalizePrompt(prompt));
}

/**
 * What Claude makes of a text, and what it makes of it only in some version, applied to both sides.
 * Seen in the `prompt` of UserPromptSubmit and in the transcript:
 *
 * - CRLF, CR become LF; TAB becomes four blanks whatever its column; white space at the end is cut,
 *   leading blanks and line breaks stay;
 * - NFC, except in a folded paste, which stays as it was;
 * - 2.1.332 drops invisible characters (2.1.197 keeps them) and turns U+2028 and U+2029 into LF;
 * - 2.1.332 with telemetry off wraps a folded paste in `<pasted_content id="…">` tags, and puts a
 *   backslash into such tags of the user's own.
 */
export function normalizePrompt(prompt: string): string {
  return withoutPasteTags(prompt)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .trimEnd();
}

/** Exactly what 2.1.332 may remove: some of these stay where they mean something (emoji, Persian). */
export const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}\u{e0000}-\u{e0fff}]/gu;

const PASTE_TAGS = /^\s*<pasted_content id="([^"]*)">\n([\s\S]*)\n<\/pasted_content id="\1">\s*$/;
const ESCAPED_TAG = /<\\(\/?pasted_content)/g;

/** All layers of them, so that a prompt that has such tags itself ends up the same on both sides. */
function withoutPasteTags(prompt: string): string {
  let text = prompt.replace(ESCAPED_TAG, '<$1');
  for (let inner = PASTE_TAGS.exec(text)?.[2]; inner !== undefined; ) {
    text = inner;
    inner = PASTE_TAGS.exec(text)?.[2];
  }
  return text;
}
