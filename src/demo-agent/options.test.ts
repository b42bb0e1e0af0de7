import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const ID = '0b9f6a1e-3c1d-4f5a-9b1c-0123456789ab';

describe('parseOptions', () => {
  it('has a default for everything', () => {
    expect(parseOptions([])).toMatchObject({
      permissions: 'ask',
      absorbMs: 0,
      absorbCount: Infinity,
      bootMs: 0,
      bootUntil: undefined,
      unknownResume: 'error',
      hooks: true,
      dialog: undefined,
      crashOnStart: undefined,
    });
  });

  it('reads the line that the adapter writes', () => {
    const argv = ['--resume', ID.toUpperCase(), '--settings', '/s', '-n', 'a b', '--permissions'];
    expect(parseOptions([...argv, 'skip', '--model', 'm', '--no-hooks'])).toMatchObject({
      resume: ID,
      settings: '/s',
      name: 'a b',
      permissions: 'skip',
      model: 'm',
      hooks: false,
    });
  });

  it.each([
    [['--session-id', 'x'], 'Invalid session ID'],
    [['--session-id', ID, '--resume', ID], 'not both'],
    [['--permissions', 'none'], '--permissions takes skip | ask'],
    [['--absorb-ms', '1e3'], '--absorb-ms takes a whole number'],
    [['--dialog', 'other'], '--dialog takes'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['positional'], 'positional'],
  ])('refuses %j', (argv, message) => expect(() => parseOptions(argv)).toThrow(message));
});
