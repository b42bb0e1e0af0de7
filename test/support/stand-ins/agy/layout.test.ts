import { describe, expect, it } from 'vitest';
import { bothEnds, wrapWords } from './layout.ts';
import { parseSteps, Script } from './steps.ts';

describe('bothEnds', () => {
  it('puts the halves to the edges, and cuts the right one where it does not fit', () => {
    expect(bothEnds('left', 'right', 12)).toBe('left   right');
    expect(bothEnds('left', 'right', 8)).toBe('left  ri');
    expect(bothEnds('left', 'right', 12, 1)).toBe('left    righ');
    expect(bothEnds('', '', 12)).toBe('');
  });
});

describe('wrapWords', () => {
  it('goes on in the first column', () => {
    expect(wrapWords('Yes, and always', 8)).toEqual(['Yes, and', 'always']);
    expect(wrapWords('  a bb', 5)).toEqual(['  a', 'bb']);
    expect(wrapWords('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
  });
});

describe('a turn', () => {
  it('does what the first word of each part says, else nothing', () => {
    expect(parseSteps('run ls -la ;; say done')).toEqual([
      { word: 'run', rest: 'ls -la' },
      { word: 'say', rest: 'done' },
    ]);
    expect(parseSteps('hello there')).toEqual([]);
  });

  it('is taken from the script as long as that lasts', () => {
    const script = new Script('[["run a", "say b"]]');
    expect(script.stepsFor('x').map(({ word }) => word)).toEqual(['run', 'say']);
    expect(script.stepsFor('say c')).toEqual([{ word: 'say', rest: 'c' }]);
  });
});
