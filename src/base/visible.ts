/** Words of others may hold terminal controls: they are shown, not obeyed. Lines and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, shown);
}

/** The same on one line: a line break cannot begin a line of its own. */
export function visibleLine(text: string): string {
  return text.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/g, shown);
}

function shown(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
}
