import { describe, expect, it } from 'vitest';
import { promptHash } from './prompt-hash.ts';
import { store } from './store.ts';

const conversationId = '11111111-2222-4111-8111-111111111111';
const query = { conversationId, cwd: '/home/user/project', folder: '/home/user/.gemini' };
const timestamp = '2026-11-30T18:51:31.221Z';

const header = { sessionId: conversationId, projectHash: 'x', startTime: timestamp, kind: 'main' };
const context = { id: 'c', timestamp, type: 'user', content: [{ text: '<session_context>\nx' }] };
const prompt = (text: string, own: object = {}) => ({
  id: 'p',
  timestamp,
  type: 'user',
  content: [{ text }],
  ...own,
});
const answer = (content: unknown) => ({ id: 'a', timestamp, type: 'gemini', content });

function lines(...records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

const hashes = (...records: object[]) => store.prompts(lines(...records)).map(({ hash }) => hash);

describe('folder', () => {
  it('is in the home, or in the one that takes its place', () => {
    expect(store.folder({ HOME: '/home/user' })).toBe('/home/user/.gemini');
    expect(store.folder({ HOME: '/home/user', GEMINI_CLI_HOME: '/d' })).toBe('/d/.gemini');
  });
});

describe('paths', () => {
  it('are named by the first eight characters, below any project', () => {
    expect(store.paths(query)).toEqual(['/home/user/.gemini/tmp/*/chats/session-*-11111111.jsonl']);
  });

  it('purges what carries the id, and leaves what is shared', () => {
    for (const path of store.purgePaths(query)) expect(path).toContain('11111111');
    expect(store.quotedIn(query)).toEqual(['/home/user/.gemini/tmp/*/logs.json']);
  });
});

describe('inspect', () => {
  it('counts prompts and answers, and nothing that the program put there', () => {
    const set = { $set: { messages: [context] } };
    expect(store.inspect(lines(header, set)).messages).toBe(0);
    expect(store.inspect(lines(header, set, context, prompt('hi'), answer('yo'))).messages).toBe(2);
  });
});

describe('prompts', () => {
  it('are what was typed, with the time', () => {
    expect(store.prompts(lines(header, prompt('hello\tthere')))).toEqual([
      { hash: promptHash('hello\tthere'), atMs: Date.parse(timestamp) },
    ]);
  });

  it('are without the files that they took in', () => {
    const own = { displayContent: [{ text: '@a.md what' }] };
    expect(hashes(prompt('@a.md what\n--- Content', own))).toEqual([promptHash('@a.md what')]);
  });

  it('are no results of tools, no notes and no torn line', () => {
    const result = { id: 'r', type: 'user', content: [{ functionResponse: {} }] };
    const note = prompt('System: Potential loop detected. Details: x');
    expect(hashes(result, note, context, { $set: {} })).toEqual([]);
    expect(store.prompts('{"id":"p","type":"us')).toEqual([]);
  });
});

describe('lastAnswer', () => {
  it('is the last text after the last prompt', () => {
    const asked = [prompt('one'), answer('1'), prompt('two')];
    expect(store.lastAnswer(lines(...asked))).toBeUndefined();
    expect(store.lastAnswer(lines(...asked, answer('')))).toBeUndefined();
    expect(store.lastAnswer(lines(...asked, answer('2'), answer('3')))).toBe('3');
    expect(store.lastAnswer(lines(...asked, answer([{ text: '4' }])))).toBe('4');
  });
});
