import { describe, expect, it } from 'vitest';
import { store } from './store.ts';
import { promptHash } from './typing.ts';

const lines = (...values: object[]) => values.map((each) => `${JSON.stringify(each)}\n`).join('');
const at = '2026-01-02T03:04:05.678Z';
const text = lines(
  { type: 'meta', id: 'c1', cwd: '/w', created_at: at },
  { type: 'user', text: 'one', at },
  { type: 'assistant', text: 'echo: one', at },
  { type: 'user', text: 'two', at },
  { type: 'assistant', text: 'echo: two', at },
);

describe('store', () => {
  it('looks in DEMO_HOME, else in the home', () => {
    expect(store.folder({ HOME: '/h', DEMO_HOME: '/d' })).toBe('/d');
    expect(store.folder({ HOME: '/h' })).toBe('/h/.mam-demo');
    const query = { conversationId: 'c1', cwd: '/w', folder: '/d' };
    expect(store.paths(query)).toEqual([
      '/d/conversations/c1.jsonl',
      '/d/conversations/*/c1.jsonl',
    ]);
    expect(store.purgePaths(query)).toEqual(store.paths(query));
    expect(store.quotedIn(query)).toEqual(['/d/truth/c1.jsonl']);
  });

  it('counts messages and finds the folder, 0 in a stub', () => {
    expect(store.inspect(text)).toEqual({ messages: 4, cwd: '/w', firstPrompt: 'one' });
    expect(store.inspect('')).toEqual({ messages: 0 });
    expect(store.inspect(`${text}{"type":"user","te`)).toEqual({
      messages: 4,
      cwd: '/w',
      firstPrompt: 'one',
    });
  });

  it('lists prompts with hash and time', () => {
    const atMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    expect(store.prompts(text)).toEqual([
      { hash: promptHash('one'), atMs },
      { hash: promptHash('two'), atMs },
    ]);
  });

  it('has no answer while the last prompt has none', () => {
    expect(store.lastAnswer(text)).toBe('echo: two');
    expect(store.lastAnswer(text + lines({ type: 'user', text: 'three', at }))).toBeUndefined();
    expect(store.lastAnswer('')).toBeUndefined();
  });
});
