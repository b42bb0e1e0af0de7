import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameKey, parseRole, parseSessionName, tmuxSessionName } from './names.ts';

describe('parseSessionName', () => {
  it.each(['api', 'my.repo.v1.2', 'a_b', '日本語', 'Ünïcode', '0123', 'no', 'कखग', 'x'.repeat(64)])(
    'takes %s',
    (name) => {
      expect(parseSessionName(name)).toBe(name.normalize('NFC'));
    },
  );

  it.each([
    ...[
      '',
      ' ',
      '-a',
      '.a',
      'mam-x',
      'MAM-x',
      'a b',
      'a/b',
      'a:b',
      'w*',
      'a\nb',
      'a;b',
      '$x',
      '%1',
    ],
    ...['a\u202eb', 'a\0', 'x'.repeat(65), '日'.repeat(51), '#{x}', "a'b", '../x', '🙂'],
  ])('refuses %j with the rule', (name) => {
    expect(() => parseSessionName(name)).toThrow(
      expect.objectContaining({
        code: 'name.invalid',
        message: expect.stringContaining('1 to 64'),
      }),
    );
  });

  it('stores NFC', () => {
    expect(parseSessionName('u\u0308ber')).toBe('über');
  });
});

describe('nameKey', () => {
  it('is the same after case folding and tmux’s replacements', () => {
    expect(new Set(['a.b', 'A.B', 'a_b', 'A_b'].map(nameKey)).size).toBe(1);
    expect(nameKey('straße')).toBe(nameKey('STRASSE'));
    expect(nameKey('STRAẞE')).toBe(nameKey('STRASSE'));
  });

  it('is stable: the key of a key is itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        (text) => nameKey(nameKey(text)) === nameKey(text),
      ),
    );
  });
});

describe('tmuxSessionName', () => {
  it('has neither dots nor colons and tells agent, role and name apart', () => {
    expect(tmuxSessionName('claude', 'creator', 'my.repo')).toBe('claude-creator-my_repo');
  });
});

describe('parseRole', () => {
  it.each(['creator', 'r2_d2', 'x'.repeat(32)])('takes %s', (role) => {
    expect(parseRole(role)).toBe(role);
  });

  it.each(['', 'Creator', 'a-b', 'a b', 'x'.repeat(33), 'é'])(
    'refuses %j with the rule',
    (role) => {
      expect(() => parseRole(role)).toThrow(expect.objectContaining({ code: 'name.invalid' }));
    },
  );
});
