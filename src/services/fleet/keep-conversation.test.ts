import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleSession } from '../../../test/support/example-session.ts';
import { onlyAgent } from '../../../test/support/fleet-context.ts';
import { gemini } from '../../agents/gemini/index.ts';
import type { Session } from '../../domain/session.ts';
import { nodeFiles } from '../../drivers/node/files.ts';
import { copiesOf, keepConversation } from './keep-conversation.ts';
import { launchFolder } from './launch-records.ts';

const id = '11111111-2222-4111-8111-111111111111';
const header = `{"sessionId":"${id}","projectHash":"x","kind":"main"}\n`;
const prompt = (text: string) => `{"id":"p","type":"user","content":[{"text":"${text}"}]}\n`;

let root: string;
let chats: string;
let context: Parameters<typeof keepConversation>[0];
let session: Session;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-keep-'));
  chats = join(root, 'store', 'tmp', 'project', 'chats');
  mkdirSync(chats, { recursive: true });
  context = {
    files: nodeFiles('/nowhere'),
    env: {},
    adapters: onlyAgent(gemini),
    logger: { debug: () => undefined, warn: () => undefined },
    workspace: { stateFolder: join(root, '.mam'), root, id: '0', host: 'h', isOurs: true },
  };
  const storeFolder = join(root, 'store');
  session = { ...exampleSession('api'), agent: 'gemini', conversationId: id, storeFolder };
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const first = () => join(chats, 'session-2026-11-30T10-00-11111111.jsonl');
const second = () => join(chats, 'session-2026-11-30T10-05-11111111.jsonl');

/** As a resume does it. */
function copy(): void {
  for (const { name, content } of copiesOf(context, gemini, session)) {
    const path = join(launchFolder(context, session.launch), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

describe('keepConversation', () => {
  it('removes the file without a message, and no other', async () => {
    const other = join(chats, 'session-2026-11-30T10-05-99999999.jsonl');
    writeFileSync(first(), header + prompt('one'));
    writeFileSync(second(), header);
    writeFileSync(other, header);
    await keepConversation(context, session);
    expect(readdirSync(chats).map((name) => join(chats, name))).toEqual([first(), other]);
  });

  it('leaves the only file of a conversation in which nothing was said', async () => {
    writeFileSync(first(), header);
    await keepConversation(context, session);
    expect(readdirSync(chats)).toHaveLength(1);
  });

  it('puts back what was deleted', async () => {
    writeFileSync(first(), header + prompt('one'));
    copy();
    rmSync(first());
    await keepConversation(context, session);
    expect(readFileSync(first(), 'utf8')).toBe(header + prompt('one'));
  });

  it('puts what was said since behind the copy, once, however much it is', async () => {
    writeFileSync(first(), header + prompt('one'));
    copy();
    const since = prompt('two') + prompt('three') + prompt('four');
    writeFileSync(first(), since);
    for (const _ of [1, 2]) {
      await keepConversation(context, session);
      expect(readFileSync(first(), 'utf8')).toBe(header + prompt('one') + since);
    }
  });

  it('leaves a file that has only grown', async () => {
    writeFileSync(first(), header + prompt('one'));
    copy();
    const now = header + prompt('one') + prompt('two');
    writeFileSync(first(), now);
    await keepConversation(context, session);
    expect(readFileSync(first(), 'utf8')).toBe(now);
  });

  it('copies nothing for an agent that loses nothing', () => {
    writeFileSync(first(), header + prompt('one'));
    const store = { ...gemini.store, leavesStubs: false };
    expect(copiesOf(context, { ...gemini, store }, session)).toEqual([]);
  });
});
