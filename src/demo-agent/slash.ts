/** A draft that runs one of the agent's own commands. */
export interface SlashCommand {
  /** With the slash. */
  readonly name: string;
  /** What follows the name, blanks at both ends cut. */
  readonly args: string;
}

/**
 * Reads a submitted draft as a command: its first word is a slash and a plain name. A second slash in
 * that word (`/etc/hosts`) or a leading blank makes it text.
 */
export function parseSlash(text: string): SlashCommand | undefined {
  const name = /^\S+/.exec(text)?.[0] ?? '';
  if (!/^\/[a-z][a-z0-9:-]*$/.test(name)) return undefined;
  return { name, args: text.slice(name.length).trim() };
}
