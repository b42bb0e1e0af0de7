import { describe, expect, it } from 'vitest';
import { promptHash } from './prompt-hash.ts';
import { store } from './store.ts';

const conversationId = '1796100923319_gaeyc';
const folder = '/home/user/.cline/data';
const query = { conversationId, cwd: '/home/user/project', folder };
const ts = 1_796_100_923_499;

const user = (...content: object[]) => ({ id: 'u', role: 'user', content, ts });
const text = (words: string) => ({ type: 'text', text: words });
const prompt = (words: string) => user(text(`<user_input mode="act">${words}</user_input>`));
const answer = (...content: object[]) => ({ id: 'a', role: 'assistant', content, ts: ts + 1 });
const call = { type: 'tool_use', id: 'c', name: 'run_commands', input: { commands: ['ls'] } };
const result = { type: 'tool_result', tool_use_id: 'c', content: [{ result: 'x' }] };

function file(...messages: object[]): string {
  return JSON.stringify({ version: 1, sessionId: conversationId, messages }, undefined, 2);
}

describe('paths', () => {
  const path = `${folder}/sessions/${conversationId}/${conversationId}.messages.json`;

  it('are of one conversation, and lead back to it', () => {
    expect(store.paths(query)).toEqual([path]);
    expect(store.idOf(path, '')).toBe(conversationId);
    expect(store.all(folder)).toEqual([`${folder}/sessions/*/*.messages.json`]);
  });

  it('take no file of a sub-agent for a conversation', () => {
    const own = path.replace(`${conversationId}.messages`, 'agent_1796100174571_x.messages');
    expect(store.idOf(own, '')).toBeUndefined();
  });

  it('purges its folder, and leaves what is shared', () => {
    expect(store.purgePaths(query)).toEqual([`${folder}/sessions/${conversationId}`]);
    for (const shared of store.quotedIn(query)) expect(shared).not.toContain('/sessions/');
  });
});

describe('inspect', () => {
  it('counts messages; there is none before the first answer', () => {
    expect(store.inspect(file()).messages).toBe(0);
    expect(store.inspect(file(prompt('hi'), answer(text('yo')))).messages).toBe(2);
    expect(store.inspect(file(prompt('hi')).slice(0, -9)).messages).toBe(0);
  });
});

describe('prompts', () => {
  const hashes = (...messages: object[]) => store.prompts(file(...messages)).map((p) => p.hash);

  it('are what was typed, with the time', () => {
    expect(store.prompts(file(prompt('hello\tthere')))).toEqual([
      { hash: promptHash('hello\tthere'), atMs: ts },
    ]);
  });

  it('are without the files that they took in', () => {
    const own = { type: 'file', path: '/home/user/project/a.md', content: 'x' };
    const [wrapped] = prompt('see [file: a.md]').content;
    expect(hashes(user(wrapped ?? {}, own))).toEqual([promptHash('see @./a.md')]);
  });

  it('are no results of tools, and nothing that Cline itself says', () => {
    expect(hashes(user(result), user(text('go on')), answer(text('<user_input>')))).toEqual([]);
    expect(store.prompts('{"messages":[{"ro')).toEqual([]);
  });
});

describe('lastAnswer', () => {
  const asked = [prompt('one'), answer(text('1')), prompt('two')];

  it('is the text that ends the last turn', () => {
    const said = [answer(text('2'), call), user(result), answer(text('3'))];
    expect(store.lastAnswer(file(...asked, ...said))).toBe('3');
  });

  it('is none of an earlier turn, nor one that goes on', () => {
    expect(store.lastAnswer(file())).toBeUndefined();
    expect(store.lastAnswer(file(...asked))).toBeUndefined();
    expect(store.lastAnswer(file(...asked, answer(text('2'), call)))).toBeUndefined();
    expect(store.lastAnswer(file(...asked, answer(text('2'), call), user(result)))).toBeUndefined();
  });

  it('is no error, which is stored beside the answers', () => {
    const error = { ...answer(text('401')), metadata: { displayOnly: true, displayRole: 'error' } };
    expect(store.lastAnswer(file(...asked, error))).toBeUndefined();
    expect(store.inspect(file(prompt('one'), error)).messages).toBe(1);
  });
});
