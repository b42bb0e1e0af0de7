import { MamError } from './errors.ts';

const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u;
const NAME_MAX_CHARS = 64;
const NAME_MAX_BYTES = 150;
const ROLE = /^[a-z0-9_]{1,32}$/;
const RESERVED_PREFIX = 'mam-';

export const nameRule =
  '1 to 64 letters or digits of any script, "-", "_" or ".", at most 150 bytes, not beginning with "-", "." or "mam-"';
export const roleRule = '1 to 32 of a-z, digits and "_"';

/**
 * A session's name in NFC.
 *
 * @throws {MamError} `name.invalid`, with the rule.
 */
export function parseSessionName(input: string): string {
  const name = input.normalize('NFC');
  if (!isSessionName(name)) {
    throw new MamError(
      'name.invalid',
      `Name ${JSON.stringify(input)} is not allowed: ${nameRule}.`,
    );
  }
  return name;
}

/** Whether a text in NFC may be a session's name. */
export function isSessionName(name: string): boolean {
  return (
    NAME.test(name) &&
    [...name].length <= NAME_MAX_CHARS &&
    Buffer.byteLength(name) <= NAME_MAX_BYTES &&
    !name.toLowerCase().startsWith(RESERVED_PREFIX)
  );
}

/** @throws {MamError} `name.invalid`, with the rule. */
export function parseRole(input: string): string {
  if (!ROLE.test(input)) {
    throw new MamError(
      'name.invalid',
      `Role ${JSON.stringify(input)} is not allowed: ${roleRule}.`,
    );
  }
  return input;
}

/** An id chosen by the caller follows the rule of names. @throws {MamError} `name.invalid` */
export function parseCallerId(input: string): string {
  return parseSessionName(input);
}

/** What tmux makes of a session name: it keeps neither `.` nor `:`. @see tmux(1), target-session */
export function toTmuxName(name: string): string {
  return name.replace(/[.:]/g, '_');
}

/** Two names with the same key are the same name to tmux, or to a file system that folds case. */
export function nameKey(name: string): string {
  return foldCase(toTmuxName(name));
}

/** Lower case first: a capital sharp s has none above it, and its small one becomes two letters. */
export function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** The one place where a tmux session's name is made. Unambiguous: kinds and roles have no `-`. */
export function tmuxSessionName(agent: string, role: string, name: string): string {
  return toTmuxName(`${agent}-${role}-${name}`);
}
