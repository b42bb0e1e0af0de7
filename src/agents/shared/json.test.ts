import { describe, expect, it } from 'vitest';
import { isRecord, parseJson, parseJsonLines, stringAt } from './json.ts';

describe('parseJsonLines', () => {
  it('leaves out lines that are no object, a torn last one too', () => {
    expect(parseJsonLines('{"a":1}\n\n[1]\n"x"\nnull\n{"b":2}\n{"c":')).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });
});

describe('narrowing', () => {
  it('finds strings in records only', () => {
    expect(stringAt({ a: 'x', b: 1 }, 'a')).toBe('x');
    expect(stringAt({ a: 'x', b: 1 }, 'b')).toBeUndefined();
    expect([{}, [], null, 'x', undefined].map(isRecord)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(parseJson('{')).toBeUndefined();
  });
});
