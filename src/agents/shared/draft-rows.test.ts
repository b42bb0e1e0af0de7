import { describe, expect, it } from 'vitest';
import { rowsAtMost } from './draft-rows.ts';

describe('rowsAtMost', () => {
  it.each([
    ['', 1],
    ['ten chars.', 1],
    ['eleven char', 2],
    ['a\n\nb', 3],
    ['日本語日本', 1],
    ['日本語日本語', 2],
    ['\t\t', 2],
  ])('of %j in ten columns is %i', (text, rows) => expect(rowsAtMost(text, 10)).toBe(rows));
});
