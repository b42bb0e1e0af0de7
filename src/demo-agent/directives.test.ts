import { describe, expect, it } from 'vitest';
import { parseDirectives } from './directives.ts';

describe('parseDirectives', () => {
  it('reads all kinds, in the order written', () => {
    const prompt =
      'do [[delay 30]] [[say two words]][[permission rm -r build]] [[ask Which?|A b|C]] ' +
      '[[crash 7]] [[spin]] [[kill]] [[limit]] [[limit 3]] [[fail]] [[child]]';
    expect(parseDirectives(prompt)).toEqual([
      { kind: 'delay', ms: 30 },
      { kind: 'say', text: 'two words' },
      { kind: 'permission', command: 'rm -r build' },
      { kind: 'ask', question: 'Which?', options: ['A b', 'C'] },
      { kind: 'crash', status: 7 },
      { kind: 'spin' },
      { kind: 'kill' },
      { kind: 'limit', seconds: 0 },
      { kind: 'limit', seconds: 3 },
      { kind: 'fail' },
      { kind: 'child' },
    ]);
  });

  it('ignores what it does not know, and what is not closed', () => {
    expect(parseDirectives('a[[0]] [[sayx y]] [[nothing]] [[say z')).toEqual([]);
  });

  it('finds a directive behind an unknown mark that swallows its beginning', () => {
    expect(parseDirectives('x[[ [[say y]]')).toEqual([{ kind: 'say', text: 'y' }]);
  });
});
