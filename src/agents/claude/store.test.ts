import { describe, expect, it } from 'vitest';
import { promptHash } from './prompt-hash.ts';
import { store } from './store.ts';

const conversationId = '11111111-1111-4111-8111-111111111111';
const query = { conversationId, cwd: '/home/user/my_app', folder: '/home/user/.claude' };
const at = '2026-11-30T18:51:31.221Z';
const cwd = '/home/user/my_app';

function user(content: unknown, own: object = {}): object {
  return {
    type: 'user',
    isSidechain: false,
    message: { role: 'user', content },
    timestamp: at,
    cwd,
    ...own,
  };
}

function assistant(content: unknown, own: object = {}): object {
  return {
    type: 'assistant',
    isSidechain: false,
    message: { role: 'assistant', content },
    timestamp: at,
    cwd,
    ...own,
  };
}

function text(words: string): object[] {
  return [{ type: 'text', text: words }];
}

function lines(...records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function hashes(...records: object[]): readonly string[] {
  return store.prompts(lines(...records)).map(({ hash }) => hash);
}

const stub = lines(
  { type: 'mode', mode: 'normal', sessionId: conversationId },
  { type: 'permission-mode', permissionMode: 'default', sessionId: conversationId },
);

describe('paths', () => {
  it('looks below the key of the folder, then below any', () => {
    expect(store.paths(query)).toEqual([
      `/home/user/.claude/projects/-home-user-my-app/${conversationId}.jsonl`,
      `/home/user/.claude/projects/*/${conversationId}.jsonl`,
    ]);
  });

  it('purges only what carries exactly this id', () => {
    const paths = store.purgePaths(query);
    expect(paths).toContain(
      `/home/user/.claude/projects/-home-user-my-app/${conversationId}.jsonl`,
    );
    expect(paths).toContain(`/home/user/.claude/projects/-home-user-my-app/${conversationId}`);
    expect(paths).toContain(`/home/user/.claude/session-env/${conversationId}`);
    for (const path of paths) expect(path.split('/').at(-1)).toContain(conversationId);
  });

  it('names the shared files that quote it', () => {
    expect(store.quotedIn(query)).toEqual(
      expect.arrayContaining(['/home/user/.claude/history.jsonl', '/home/user/.claude.json']),
    );
  });
});

describe('inspect', () => {
  it('counts prompts and answers and tells the folder (BL-22)', () => {
    const file = lines(user('one', { promptSource: 'typed' }), assistant(text('two')));
    expect(store.inspect(file)).toEqual({ messages: 2, cwd, firstPrompt: 'one' });
  });

  it.each([
    ['', 'an empty file'],
    [stub, 'a stub'],
    ['\u0000\u0001 not JSON\n{"type":', 'rubbish'],
  ])('counts none in %#: %s', (file) => {
    expect(store.inspect(file).messages).toBe(0);
  });
});

describe('prompts', () => {
  it('finds typed, queued and pasted ones with hash and time', () => {
    const pasted = '\n\n<pasted_content id="bd76">\na    b\n\n\nc\n</pasted_content id="bd76">\n';
    const file = lines(
      user('plain one', { promptSource: 'typed' }),
      user(pasted, { promptSource: 'typed' }),
      user('later', { promptSource: 'queued' }),
    );
    expect(store.prompts(file)).toEqual([
      { hash: promptHash('plain one'), atMs: Date.parse(at) },
      { hash: promptHash('a\tb\n\n\nc'), atMs: Date.parse(at) },
      { hash: promptHash('later'), atMs: Date.parse(at) },
    ]);
  });

  it('finds commands as they were typed', () => {
    const greet =
      '<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>bob</command-args>';
    const clear =
      '<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>';
    const local = {
      type: 'system',
      subtype: 'local_command',
      content: clear.replaceAll('clear', 'rename'),
    };
    expect(hashes(user(greet), user(clear), local)).toEqual([
      promptHash('/greet bob'),
      promptHash('/clear'),
      promptHash('/rename'),
    ]);
  });

  it('finds one that joined a running turn', () => {
    const attachment = { type: 'queued_command', prompt: 'and this' };
    expect(hashes({ type: 'attachment', attachment, timestamp: at })).toEqual([
      promptHash('and this'),
    ]);
  });

  it.each([
    ['the result of a tool', user([{ type: 'tool_result', tool_use_id: 'x', content: 'hi' }])],
    ['a reminder', user('<system-reminder>\nx\n</system-reminder>', { isMeta: true })],
    ['the text of a command', user(text('Say hello to bob'), { isMeta: true })],
    ['a shell command', user('<bash-input>ls</bash-input>')],
    ['its output', user('<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>')],
    ['the output of a command', user('<local-command-stdout>x</local-command-stdout>')],
    ['a notification', user('<task-notification>\nx', { promptSource: 'system' })],
    ['a summary', user('This session is being continued', { isCompactSummary: true })],
    ['a side chain', user('do the sub thing', { isSidechain: true })],
    ['an interruption', user(text('[Request interrupted by user for tool use]'))],
    ['a warning', { type: 'system', subtype: 'informational', content: 'Unknown command: /foo' }],
    ['an unknown record', { type: 'atis-latch', message: 7 }],
    ['another attachment', { type: 'attachment', attachment: { type: 'plan', prompt: 'x' } }],
    ['a queued image', { type: 'attachment', attachment: { type: 'queued_command', prompt: [] } }],
  ])('leaves out %s', (_, record) => {
    expect(hashes(record)).toEqual([]);
  });

  it('believes the record, not the words, about what was typed', () => {
    const words = '<bash-input>ls</bash-input> is a tag';
    expect(hashes(user(words, { promptSource: 'typed' }))).toEqual([promptHash(words)]);
  });

  it('reads up to a line that is only half written', () => {
    const file = `${lines(user('one', { promptSource: 'typed' }))}{"type":"user","message":{"con`;
    expect(store.prompts(file)).toHaveLength(1);
  });
});

describe('limitUntil', () => {
  // As 2.1.332 wrote it.
  const limited = assistant(text("You've hit your 5-hour limit · resets 1:52am (UTC)"), {
    apiError: 'usage_limit_reached',
    error: 'rate_limit',
    isApiErrorMessage: true,
    quotaLimits: { status: 'rejected', resetsAt: 1_796_089_954, rateLimitType: 'five_hour' },
  });

  it('is the end that the error in the place of the last answer tells', () => {
    const after = { type: 'system', subtype: 'turn_duration' };
    expect(store.limitUntil(lines(user('go'), limited, after))).toBe(1_796_089_954_000);
    const cut = `ut of a line"}\n${lines(limited)}`;
    expect(store.limitUntil(cut)).toBe(1_796_089_954_000);
  });

  it('is not known once something was said again, nor where it is not written', () => {
    expect(store.limitUntil(lines(limited, user('go on')))).toBeUndefined();
    expect(store.limitUntil(lines(limited, assistant(text('done'))))).toBeUndefined();
    const old = assistant(text("You've hit your session limit · resets 1:52am (UTC)"));
    expect(store.limitUntil(lines(user('go'), old))).toBeUndefined();
    const odd = assistant(text('x'), { quotaLimits: { resetsAt: 'soon' } });
    expect(store.limitUntil(lines(odd))).toBeUndefined();
  });
});

describe('lastAnswer', () => {
  it('is the last text after the last prompt', () => {
    const file = lines(
      user('one', { promptSource: 'typed' }),
      assistant(text('first')),
      user('two', { promptSource: 'typed' }),
      assistant(text('I look first')),
      assistant([{ type: 'tool_use', id: 'x', name: 'Bash', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 'x', content: 'hi' }]),
      assistant(text('second')),
      { type: 'system', subtype: 'turn_duration', durationMs: 5 },
    );
    expect(store.lastAnswer(file)).toBe('second');
  });

  it('is unknown before there is one', () => {
    const file = lines(
      user('one'),
      assistant(text('first')),
      user('two', { promptSource: 'typed' }),
    );
    expect(store.lastAnswer(file)).toBeUndefined();
    expect(store.lastAnswer(stub)).toBeUndefined();
    expect(store.lastAnswer(lines(assistant(text('of no prompt'))))).toBeUndefined();
  });
});
