/**
 * Builds tmux format conditions. Only ids made by tmux or mam, integers and constants may enter: tmux
 * parses the branches of `if-shell`, and formats expand what they hold.
 *
 * `#{&&:a,b,c}` silently ignores the third operand on tmux 3.3a, so conjunctions are nested pairs.
 */
export function allOf(...conditions: readonly string[]): string {
  const [first, ...rest] = conditions;
  if (first === undefined) throw new TypeError('a guard needs a condition');
  return rest.length === 0 ? first : `#{&&:${first},${allOf(...rest)}}`;
}

/** True only when the target exists: formats of a missing target are empty and a branch still runs. */
export function isPane(paneId: string): string {
  return equals('pane_id', requirePaneId(paneId));
}

export function isSession(sessionId: string): string {
  return equals('session_id', requireSessionId(sessionId));
}

export function equals(variable: string, value: string | number): string {
  return `#{==:#{${variable}},${requireWord(String(value))}}`;
}

export function isUnset(option: string): string {
  return `#{==:#{${option}},}`;
}

/** An unset option counts as 0. Exact up to 1e11 on tmux 3.3a. */
export function lessThan(option: string, value: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value > 1e11) throw new TypeError('not a mark');
  return `#{e|<:#{?#{${option}},#{${option}},0},${value}}`;
}

export function requirePaneId(id: string): string {
  if (!/^%\d+$/.test(id)) throw new TypeError(`not a pane id: ${JSON.stringify(id)}`);
  return id;
}

export function requireSessionId(id: string): string {
  if (!/^\$\d+$/.test(id)) throw new TypeError(`not a session id: ${JSON.stringify(id)}`);
  return id;
}

export function requireWord(word: string): string {
  if (!/^[A-Za-z0-9_$%-]+$/.test(word)) throw new TypeError(`not a plain word: ${word}`);
  return word;
}
