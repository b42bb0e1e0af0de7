/** Compiled once: a screen is read often. */
const compiled = new Map<string, RegExp>();

/** @param source - Checked when the card was read. */
export function pattern(source: string): RegExp {
  const known = compiled.get(source);
  if (known) return known;
  const made = new RegExp(source, 'mu');
  compiled.set(source, made);
  return made;
}

export function matchesAny(sources: readonly string[], text: string): boolean {
  return sources.some((source) => pattern(source).test(text));
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
