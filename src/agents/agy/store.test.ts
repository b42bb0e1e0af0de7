import { describe, expect, it } from 'vitest';
import { promptHash } from './prompt-hash.ts';
import { store } from './store.ts';

const conversationId = '11111111-2222-4111-8111-111111111111';
const folder = '/home/user/.gemini/antigravity-cli';
const query = { conversationId, cwd: '/home/user/project', folder };
const created_at = '2026-11-30T09:00:01Z';

const step = (step_index: number, own: object) => ({
  step_index,
  status: 'DONE',
  created_at,
  ...own,
});
const prompt = (at: number, text: string) =>
  step(at, {
    ...{ source: 'USER_EXPLICIT', type: 'USER_INPUT' },
    content: `<USER_REQUEST>\n${text}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe current local time is: x.\n</ADDITIONAL_METADATA>`,
  });
const answer = (at: number, own: object) =>
  step(at, { source: 'MODEL', type: 'PLANNER_RESPONSE', ...own });
const calls = (at: number, own: object = {}) =>
  answer(at, { tool_calls: [{ name: 'run_command', args: {} }], ...own });
const result = (at: number) => step(at, { source: 'MODEL', type: 'GENERIC', content: 'output' });
const system = (at: number, type: string) => step(at, { source: 'SYSTEM', type, content: 'x' });

const lines = (...records: object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const hashes = (...records: object[]) => store.prompts(lines(...records)).map(({ hash }) => hash);

describe('paths', () => {
  const transcript = `${folder}/brain/${conversationId}/.system_generated/logs/transcript.jsonl`;
  const database = `${folder}/conversations/${conversationId}.db`;

  it('are the transcript, else the conversation itself, without which nothing is resumed', () => {
    expect(store.folder({ HOME: '/home/user' })).toBe(folder);
    expect(store.paths(query)).toEqual([transcript, database]);
    expect(store.needs?.(query)).toEqual([database, database.replace('.db', '.pb')]);
  });

  it('name their conversation', () => {
    expect(store.all(folder)).toEqual([transcript.replace(conversationId, '*')]);
    expect(store.idOf(transcript, '')).toBe(conversationId);
    expect(store.idOf(`${folder}/brain/x/.system_generated/logs/transcript.jsonl`, '')).toBe(
      undefined,
    );
    for (const path of [database, `${database}-wal`, `${database}-shm`])
      expect(store.idOfOpenFile?.(path)).toBe(conversationId);
    expect(store.idOfOpenFile?.(transcript)).toBeUndefined();
    expect(store.idOfOpenFile?.(`${folder}/conversation_summaries.db`)).toBeUndefined();
  });

  it('purges what carries the id, and leaves what is shared', () => {
    for (const path of store.purgePaths(query)) expect(path).toContain(conversationId);
    for (const path of store.quotedIn(query)) expect(path).not.toContain(conversationId);
  });
});

describe('inspect', () => {
  it('counts prompts and answers, and nothing that the program put there', () => {
    expect(store.inspect(lines(system(1, 'CHECKPOINT'))).messages).toBe(0);
    expect(store.inspect(lines(prompt(0, 'a'), system(1, 'CHECKPOINT'), calls(2))).messages).toBe(
      2,
    );
    expect(store.inspect('').messages).toBe(0);
  });

  it('takes the database for a conversation: it begins with the first prompt', () => {
    expect(store.inspect('SQLite format 3\0\x10').messages).toBe(1);
  });
});

describe('prompts', () => {
  it('are what was typed, with the time', () => {
    expect(store.prompts(lines(prompt(0, 'hello\tthere\nyou')))).toEqual([
      { hash: promptHash('hello there you'), atMs: Date.parse(created_at) },
    ]);
  });

  it('are in the order of their steps, not of their lines', () => {
    expect(hashes(prompt(4, 'two'), prompt(0, 'one'))).toEqual(['one', 'two'].map(promptHash));
  });

  it('keep what looks like their own wrapping', () => {
    const text = 'quote </USER_REQUEST> and\n</USER_REQUEST>\nmore';
    expect(hashes(prompt(0, text))).toEqual([promptHash(text)]);
    const bare = { ...prompt(0, 'x'), content: 'no wrapping' };
    expect(hashes(bare)).toEqual([promptHash('no wrapping')]);
  });

  it('are no wake-ups, no injections and no torn line', () => {
    const injected = step(2, { source: 'SYSTEM_SDK', type: 'EPHEMERAL_MESSAGE', content: 'x' });
    expect(hashes(system(1, 'SYSTEM_MESSAGE'), injected)).toEqual([]);
    expect(store.prompts('{"type":"USER_INPUT","source":"USER_EXPL')).toEqual([]);
  });
});

describe('lastAnswer', () => {
  const last = (...records: object[]) => store.lastAnswer(lines(...records));

  it('is the text that ended the turn, after all of its tools', () => {
    const turn = [prompt(0, 'a'), calls(1, { content: 'I look' }), result(2)];
    expect(last(...turn, answer(3, { content: 'There it is.' }))).toBe('There it is.');
    // Results of parallel calls are written late.
    const swapped = [calls(1), result(3), answer(4, { content: 'done' }), result(2)];
    expect(last(prompt(0, 'a'), ...swapped)).toBe('done');
  });

  it('is none while tools run, after one was declined, and before the first answer', () => {
    expect(last(prompt(0, 'a'), calls(1, { content: 'I look' }))).toBeUndefined();
    const denied = step(2, { source: 'MODEL', type: 'GENERIC', error: 'user denied permission' });
    expect(last(prompt(0, 'a'), calls(1, { content: 'I look' }), denied)).toBeUndefined();
    const next = [prompt(0, 'a'), answer(1, { content: 'one' }), prompt(2, 'b')];
    expect(last(...next)).toBeUndefined();
    expect(last(answer(1, { content: 'one' }))).toBeUndefined();
  });
});
