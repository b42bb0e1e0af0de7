/**
 * A command list in argument form as one line for a control client. Single quotes keep everything but
 * themselves; a separate `;` stays a separator.
 *
 * @returns `undefined` for what no line can carry: a line break or NUL in an argument.
 * @see tmux(1), PARSING SYNTAX
 */
export function commandLine(args: readonly string[]): string | undefined {
  if (args.some((arg) => /[\n\r\0]/.test(arg))) return undefined;
  return args.map((arg) => (arg === ';' ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(' ');
}
