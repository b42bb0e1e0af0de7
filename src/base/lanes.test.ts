import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

/** Things that end when they are told to. */
function jobs(lanes: Lanes) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, lane?: string) =>
    lanes.run(lane, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { begun, start, end };
}

describe('lanes', () => {
  it('run so many at a time, in order', async () => {
    const { begun, start, end } = jobs(new Lanes(2));
    const all = ['a', 'b', 'c', 'd'].map((name) => start(name));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await end(name);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keep one after the other what is of one lane, and hold nothing else up', async () => {
    const { begun, start, end } = jobs(new Lanes(2));
    const all = [start('x1', 'x'), start('x2', 'x'), start('x3', 'x'), start('y')];
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect([...begun].sort()).toEqual(['x1', 'y']);
    await end('x1');
    expect(begun).toContain('x2');
    expect(begun).not.toContain('x3');
    for (const name of ['y', 'x2', 'x3']) await end(name);
    await Promise.all(all);
  });

  it('go on after a failure', async () => {
    const lanes = new Lanes(1);
    const failed = lanes.run('x', () => Promise.reject(new Error('no')));
    const next = lanes.run('x', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
