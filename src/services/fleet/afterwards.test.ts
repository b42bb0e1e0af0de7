import { describe, expect, it } from 'vitest';
import { afterwards } from './afterwards.ts';

function contextOf() {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return { warnings, context: { logger: { debug: () => undefined, warn } } };
}

describe('afterwards', () => {
  it('gives what was returned, at once or later', async () => {
    const { context, warnings } = contextOf();
    expect(await afterwards(context, 'x', () => 1)).toBe(1);
    expect(await afterwards(context, 'x', async () => 2)).toBe(2);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['thrown', () => Promise.reject(new Error('late'))],
    [
      'at once',
      () => {
        throw new Error('late');
      },
    ],
    ['without an error', () => Promise.reject('late')],
  ])('says what failed (%s) and throws nothing', async (_, fn) => {
    const { context, warnings } = contextOf();
    expect(await afterwards(context, 'It was not let go', fn)).toBeUndefined();
    expect(warnings).toEqual(['It was not let go: late']);
  });

  it('leaves the first error to the caller', async () => {
    const { context, warnings } = contextOf();
    const run = async () => {
      try {
        throw new Error('first');
      } finally {
        await afterwards(context, 'Then', () => Promise.reject(new Error('second')));
      }
    };
    await expect(run()).rejects.toThrow('first');
    expect(warnings).toEqual(['Then: second']);
  });
});
