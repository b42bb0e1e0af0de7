import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

const SHAPE = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export function isUlid(text: string): boolean {
  return SHAPE.test(text);
}

/**
 * A ULID: 48 bits of time and 80 random bits in Crockford base 32, 26 characters, sortable by time.
 *
 * @param nowMs - Milliseconds since 1970.
 * @see https://github.com/ulid/spec
 */
export function ulid(nowMs: number): string {
  let time = '';
  for (let rest = Math.floor(nowMs), i = 0; i < TIME_CHARS; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let random = '';
  for (const byte of randomBytes(RANDOM_CHARS)) random += ALPHABET[byte % 32];
  return time + random;
}

/** When it was made. @returns Milliseconds since 1970; NaN for what is no ULID. */
export function ulidTimeMs(id: string): number {
  if (!isUlid(id)) return Number.NaN;
  return [...id.slice(0, TIME_CHARS)].reduce((ms, char) => ms * 32 + ALPHABET.indexOf(char), 0);
}
