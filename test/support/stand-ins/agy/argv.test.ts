import { describe, expect, it } from 'vitest';
import { parseArgv, UsageError } from './argv.ts';

function fails(...argv: string[]): readonly [string, number] {
  try {
    parseArgv(argv);
  } catch (error) {
    if (error instanceof UsageError) return [error.message.split('\n')[0] ?? '', error.status];
  }
  throw new Error('nothing was wrong');
}

describe('parseArgv', () => {
  it('reads one dash or two, values beside or behind, and ends at the first word', () => {
    const argv = parseArgv(['-p', 'hi', '--add-dir=/a', '--add-dir', '/b', '-c', 'models', '-x']);
    expect(argv.strings).toEqual({ print: 'hi' });
    expect(argv.addDirs).toEqual(['/a', '/b']);
    expect([...argv.flags]).toEqual(['continue']);
    expect(argv.words).toEqual(['models', '-x']);
  });

  it('fails as the real one does', () => {
    expect(fails('--nonsense')).toEqual(['flags provided but not defined: -nonsense', 2]);
    const boolean = 'invalid boolean value "bogus" for  -sandbox: parse error';
    expect(fails('--sandbox=bogus')).toEqual([boolean, 2]);
    const effort = 'invalid --effort "xhigh" (valid: low, medium, high)';
    expect(fails('--effort', 'xhigh')).toEqual([effort, 1]);
    expect(fails('--model', 'gemini-3.8-flash-high', '--effort', 'low')[0]).toMatch(/conflicts/);
  });
});
