import { describe, expect, it } from 'vitest';
import { shippedCard } from '../../../test/support/every-agent.ts';
import { plainScreen } from '../../domain/screen.ts';
import type { LaunchRequest } from '../../ports/agent-adapter.ts';
import type { AgentCard } from '../../protocol/agent-card.ts';
import { sha256Hex } from '../shared/prompt-text.ts';
import { cardAgent } from './index.ts';

const id = '01a231bb-f84f-7002-8f13-da6729ae1ff9';
const codex = shippedCard('codex');

/** The least that a card may say. */
const least: AgentCard = {
  v: 1,
  name: 'Some agent',
  binaries: ['some'],
  launch: {
    new: ['--id', '{id}'],
    resume: ['--resume={id}', '{cwd}'],
    env: { SOME_DIR: '{launch}/x' },
  },
  conversation: {
    ...{ id: 'minted', folder: ['$SOME_HOME/chats', '~/.some'], files: ['{id}.jsonl'] },
    ...{ prompt: { at: 'user' }, time: 'at' },
  },
  screen: { composer: { sign: '>', below: [] }, working: ['^\\.\\.\\.$'] },
  quit: '/bye',
};
const some = cardAgent('some', least);

function request(more: Partial<LaunchRequest>): LaunchRequest {
  return {
    ...{ sessionName: 'a', conversation: { kind: 'new', id }, cwd: '/w', permissions: 'ask' },
    ...{ extraArgs: [], binary: '/bin/x', launchDir: '/l', hookScript: '/l/hook', mcpFiles: [] },
    env: {},
    ...more,
  };
}

describe('the command line of a card', () => {
  it('is what the card says, the conversation last', () => {
    const asked = { model: 'm {id}', extraArgs: ['-c', '{id}'] };
    expect(codex.planLaunch(request(asked)).argv).toEqual([
      ...['/bin/x', '--no-daemon', '--ask-for-approval', 'on-request'],
      ...['--sandbox', 'workspace-write', '--model', 'm {id}', '-c', '{id}'],
    ]);
    const resumed = request({ permissions: 'skip', conversation: { kind: 'resume', id } });
    expect(codex.planLaunch(resumed).argv).toEqual([
      ...['/bin/x', '--no-daemon', '--dangerously-bypass-approvals-and-sandbox', 'resume', id],
    ]);
  });

  it('fills in what is named, and leaves other braces alone', () => {
    expect(some.planLaunch(request({}))).toMatchObject({
      argv: ['/bin/x', '--id', id],
      env: { SOME_DIR: '/l/x' },
    });
    const resumed = request({ conversation: { kind: 'resume', id } });
    expect(some.planLaunch(resumed).argv).toEqual(['/bin/x', `--resume=${id}`, '/w']);
  });
});

describe('the store of a card', () => {
  const folder = '/h/.codex';
  const path = `${folder}/sessions/2026/12/01/rollout-2026-12-01T13-12-12-${id}.jsonl`;
  const item = (type: string, text: string) => ({
    timestamp: '2026-12-01T13:12:30.412Z',
    type: 'event_msg',
    payload: { type: 'item_completed', item: { type, content: [{ type: 'text', text }] } },
  });
  const lines = [
    { type: 'session_meta', payload: { id, cwd: '/w' } },
    item('UserMessage', 'hello\n'),
    item('AgentMessage', 'first'),
    item('AgentMessage', 'last'),
    { type: 'event_msg', payload: { type: 'item_completed', item: 'UserMessage' } },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');

  it('lies where its variable says, else in the home', () => {
    expect(codex.store.folder({ HOME: '/h' })).toBe('/h/.codex');
    expect(codex.store.folder({ HOME: '/h', CODEX_HOME: '/c' })).toBe('/c');
    expect(codex.store.folder({ HOME: '/h', CODEX_HOME: 'relative' })).toBe('/h/.codex');
    expect(some.store.folder({ HOME: '/h', SOME_HOME: '/s' })).toBe('/s/chats');
  });

  it('finds the file of a conversation, and the conversation of a file', () => {
    const query = { conversationId: id, cwd: '/w', folder };
    expect(codex.store.paths(query)).toEqual([`${folder}/sessions/*/*/*/rollout-*-${id}.jsonl`]);
    expect(codex.store.all(folder)).toEqual([`${folder}/sessions/*/*/*/rollout-*-*.jsonl`]);
    expect(codex.store.idOf(path, '')).toBe(id);
    expect(codex.store.idOf(`${folder}/history.jsonl`, '')).toBeUndefined();
    expect(codex.store.purgePaths(query)).toEqual(codex.store.paths(query));
  });

  it('reads prompts, answers and the folder out of records, and nothing out of others', () => {
    expect(codex.store.inspect(text)).toEqual({ messages: 3, firstPrompt: 'hello\n', cwd: '/w' });
    expect(codex.store.prompts(text)).toEqual([
      { hash: sha256Hex('hello'), atMs: Date.parse('2026-12-01T13:12:30.412Z') },
    ]);
    expect(codex.store.lastAnswer(text)).toBe('last');
    expect(some.store.lastAnswer('{"user":"x"}')).toBeUndefined();
    expect(some.store.inspect('{"user":{"x":1}}\n{"user":7}\nnull')).toEqual({ messages: 0 });
  });
});

describe('what a card types', () => {
  it.each([
    ['!touch x', ' !touch x'],
    ['/etc/hosts is a path', ' /etc/hosts is a path'],
    ['see @src', 'see @src '],
    ['see @src now', 'see @src now'],
    ['  two \n lines\n', 'two \n lines'],
  ])('%j as %j, with the hash of the text alone', (text, typed) => {
    const plan = codex.planTyping(text);
    expect(plan).toMatchObject({ kind: 'prompt', typed, hash: sha256Hex(text.trim()) });
  });

  it('runs a command of one line', () => {
    expect(codex.planTyping('/model')).toMatchObject({ kind: 'command', typed: '/model' });
    expect(codex.planTyping(' /model').kind).toBe('prompt');
    expect(some.planTyping('/model').kind).toBe('prompt');
  });

  it('is made long enough to be folded when it may need more rows than are shown', () => {
    const rows = codex.planTyping('row\n'.repeat(30));
    expect([...rows.typed]).toHaveLength(1_001);
    expect(rows.hash).toBe(sha256Hex('row\n'.repeat(30).trim()));
    const composer = (text: string) => ({ text, empty: text === '', mode: 'prompt' }) as const;
    expect(codex.composerHolds(composer('[Pasted Content 1001 chars]'), rows)).toBe(true);
    expect(codex.composerHolds(composer('[Pasted Content 1002 chars]'), rows)).toBe(false);
    const emoji = codex.planTyping('🙂'.repeat(1_200));
    expect(codex.composerHolds(composer('[Pasted Content 1200 chars]'), emoji)).toBe(true);
    const short = codex.planTyping('short');
    expect(codex.composerHolds(composer('short'), short)).toBe(true);
    expect(codex.composerHolds({ ...composer('short'), mode: 'other' }, short)).toBe(false);
    expect(codex.composerHolds(composer(''), short)).toBe(false);
  });
});

describe('what a card reads', () => {
  const read = (text: string, x: number, y: number) => some.readScreen(plainScreen(text, { x, y }));

  it('is a composer where the cursor stands in it and nothing unknown is below', () => {
    expect(read('hi\n\n> ', 2, 2)).toMatchObject({ state: 'idle', composer: { empty: true } });
    expect(read('...\n\n> ', 2, 2).state).toBe('working');
    expect(read('> draft\n  of two', 8, 1)).toMatchObject({
      composer: { text: 'draft\nof two', empty: false, row: 0 },
    });
  });

  it('is unknown where it is not', () => {
    expect(read('> ', 0, 0).state).toBe('unknown');
    expect(read('> \n\n?', 2, 0).state).toBe('unknown');
    expect(read('> a\nb', 1, 1).state).toBe('unknown');
    expect(read('', 0, 0).state).toBe('unknown');
  });
});

describe('the checks of a card', () => {
  it('judge the version that is printed', () => {
    const [version] = codex.preflight({
      ...{ permissions: 'ask', uid: 1, env: {}, binary: '/bin/codex', cwd: '/w' },
    });
    if (!version || !('judge' in version)) throw new Error('no version check');
    const judge = (stdout: string) => version.judge({ exitCode: 0, stdout, stderr: '' });
    expect(judge('codex-cli 0.171.0\n').ok).toBe(true);
    expect(judge('codex-cli 0.99.0\n')).toMatchObject({ ok: false, code: 'agent.version' });
  });

  it('judge a login by what is printed', () => {
    const login = { args: ['whoami'], logged_out: '^Not logged in', fix: 'some login' };
    const [check] = cardAgent('some', { ...least, login }).preflight({
      ...{ permissions: 'ask', uid: 1, env: {}, binary: '/bin/some', cwd: '/w' },
    });
    if (!check || !('judge' in check)) throw new Error('no login check');
    const judge = (stderr: string) => check.judge({ exitCode: 0, stdout: '', stderr });
    expect(judge('warning\nNot logged in')).toMatchObject({ ok: false, fix: 'some login' });
    expect(judge('me')).toMatchObject({ ok: true });
  });
});
