import { describe, expect, it } from 'vitest';
import { allOf, equals, isPane, lessThan } from './guard.ts';

describe('allOf', () => {
  it('nests pairs: tmux ignores a third operand', () => {
    expect(allOf('a')).toBe('a');
    expect(allOf('a', 'b')).toBe('#{&&:a,b}');
    expect(allOf('a', 'b', 'c', 'd')).toBe('#{&&:a,#{&&:b,#{&&:c,d}}}');
  });

  it('refuses an empty conjunction', () => {
    expect(() => allOf()).toThrow(TypeError);
  });
});

describe('what may enter a format', () => {
  it.each(['%1,}', '%', '1', '%1 ', '#{x}', '%1\n'])('is not %j for a pane', (id) => {
    expect(() => isPane(id)).toThrow(TypeError);
  });

  it.each(['a,b', 'a}', '#(x)', 'a b', '', "'", 'a;b'])('is not %j for a value', (value) => {
    expect(() => equals('@mam_launch', value)).toThrow(TypeError);
  });

  it.each([-1, 1.5, Number.NaN, 1e12])('is not %d for a mark', (mark) => {
    expect(() => lessThan('@mam_seq', mark)).toThrow(TypeError);
  });

  it('takes an unset option for 0', () => {
    expect(lessThan('@mam_seq', 3)).toBe('#{e|<:#{?#{@mam_seq},#{@mam_seq},0},3}');
  });
});
