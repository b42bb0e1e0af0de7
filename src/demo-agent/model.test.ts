import { describe, expect, it } from 'vitest';
import { answerTo } from './model.ts';

describe('answerTo', () => {
  it('echoes the first 200 characters and cuts none in half', () => {
    expect(answerTo('hi', [], [])).toBe('echo: hi');
    expect(answerTo('🙂'.repeat(300), [], [])).toBe(`echo: ${'🙂'.repeat(200)}`);
  });

  it('says what it was told', () => {
    const directives = [
      { kind: 'say', text: 'one' },
      { kind: 'say', text: 'two' },
    ] as const;
    expect(answerTo('recall', ['x'], directives)).toBe('one\n\ntwo');
  });

  it('lists earlier messages when asked to recall', () => {
    expect(answerTo('please Recall!', ['one', 'x'.repeat(80)], [])).toBe(
      `I remember 2 earlier messages: "one", "${'x'.repeat(60)}"`,
    );
    expect(answerTo('recall', [], [])).toBe('I remember 0 earlier messages');
    expect(answerTo('recall', Array(30).fill('m'), []).match(/"m"/g)).toHaveLength(20);
    expect(answerTo('recalled', ['one'], [])).toBe('echo: recalled');
  });
});
