import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleSession } from '../../../test/support/example-session.ts';
import { onlyAgent } from '../../../test/support/fleet-context.ts';
import { agy } from '../../agents/agy/index.ts';
import { demo } from '../../agents/demo/index.ts';
import { ulid } from '../../base/ulid.ts';
import { nodeFiles } from '../../drivers/node/files.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { hasConversationFile, isPlainId, lookUpConversation } from './conversations.ts';

const session = { cwd: '/w', storeFolder: null };
const files = nodeFiles('/nowhere');
let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mam-conversations-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const look = (adapter: AgentAdapter, id: string) =>
  lookUpConversation({ files, env: { HOME: home } }, adapter, session, id);
const demoFile = (name: string) => `${home}/.mam-demo/conversations/${name}`;
const line = (text: string) => `${JSON.stringify({ type: 'user', text, at: '' })}\n`;

describe('lookUpConversation', () => {
  it('finds a conversation in its place, and elsewhere', () => {
    const [inPlace, moved] = [demoFile('c1.jsonl'), demoFile('moved/c2.jsonl')];
    write(inPlace, line('one'));
    write(moved, line('two'));
    expect(look(demo, 'c1').found).toMatchObject({ path: inPlace, inPlace: true, messages: 1 });
    expect(look(demo, 'c2').found).toMatchObject({ path: moved, inPlace: false });
  });

  it('reads on when the first line alone is longer than the head', () => {
    write(demoFile('c1.jsonl'), line('x'.repeat(1_000_000)));
    expect(look(demo, 'c1').found?.messages).toBe(1);
  });

  it('takes none that the agent would not resume', () => {
    const id = '11111111-2222-4111-8111-111111111111';
    const folder = `${home}/.gemini/antigravity-cli`;
    const transcript = `${folder}/brain/${id}/.system_generated/logs/transcript.jsonl`;
    const database = `${folder}/conversations/${id}.db`;
    write(
      transcript,
      '{"step_index":0,"source":"MODEL","type":"PLANNER_RESPONSE","content":"hi"}\n',
    );
    expect(look(agy, id)).toEqual({ reason: `no file at ${database}`, looked: [database] });
    write(database, 'SQLite format 3\0');
    expect(look(agy, id).found).toMatchObject({ path: transcript, inPlace: true });
    // A transcript that was left empty: the conversation itself is there.
    write(transcript, '');
    expect(look(agy, id).found).toMatchObject({ path: database, inPlace: true });
  });

  it.each(['*', '..', '../c1', 'a/b', '', '.', '-x', 'a*', 'c1\n', '\0', 'x'.repeat(200)])(
    'takes %j for no id: an agent may not name other files',
    (id) => {
      write(demoFile('c1.jsonl'), line('one'));
      expect(look(demo, id).found).toBeUndefined();
      expect(isPlainId(id)).toBe(false);
    },
  );

  it.each([
    '5f0c7d1a-7a46-4a43-a1b4-97a6a0d3d1a5',
    '20260102_030405_a1b2c3',
    '1759741234567',
    'sess.v2_01J',
  ])('takes %j for an id', (id) => {
    expect(isPlainId(id)).toBe(true);
  });
});

describe('hasConversationFile', () => {
  it('asks for a file of this launch, with messages or without', () => {
    const began = Date.now() - 60_000;
    const own = exampleSession('a', { storeFolder: null, launch: ulid(began) });
    const adapters = onlyAgent(demo);
    const has = (conversationId: string | null) =>
      hasConversationFile({ files, env: { HOME: home }, adapters }, { ...own, conversationId });
    expect(has('c1')).toBe(false);
    write(demoFile('c1.jsonl'), '');
    expect([has('c1'), has(null), has('../c1')]).toEqual([true, false, false]);
    utimesSync(demoFile('c1.jsonl'), began / 1_000 - 1, began / 1_000 - 1);
    expect(has('c1')).toBe(false);
  });
});
