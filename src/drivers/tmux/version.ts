/** The oldest tmux that has what we use: `paste-buffer -p`, pane options, `if-shell -F`, `#{e|<:}`. */
export const OLDEST_TMUX = '3.2';
const OLDEST = [3, 2] as const;

export type TmuxNumber = readonly [major: number, minor: number];

/**
 * The number in what `tmux -V` printed: `tmux 3.3a` is 3, 3; `tmux next-3.7` is 3, 7.
 *
 * @returns Undefined for texts without one (`tmux master`, `tmux openbsd-7.2`, nothing): the features
 *   decide then.
 */
export function parseTmuxVersion(text: string): TmuxNumber | undefined {
  const found = /^tmux (?:next-)?(\d+)\.(\d+)/.exec(text.trim());
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export function isTooOld([major, minor]: TmuxNumber): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
