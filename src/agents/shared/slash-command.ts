const LONGEST_COMMAND = 200;

/**
 * True for one short line whose first word is shaped like a slash command, known to the agent or
 * not. A path (`/etc/hosts`), a long text or one of several lines is text for the model.
 *
 * @param word - What the first word must look like, anchored at both ends.
 */
export function isSlashCommand(text: string, word: RegExp): boolean {
  const line = text.trimEnd();
  if (line.length > LONGEST_COMMAND || line.includes('\n')) return false;
  return word.test(/^\S*/.exec(line)?.[0] ?? '');
}
