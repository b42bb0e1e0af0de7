import { mkdirSync, mkdtempSync, openSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import { ulid } from '../../src/base/ulid.ts';
import type { Delivery } from '../../src/domain/delivery.ts';
import type { Session } from '../../src/domain/session.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { sqliteClaims } from '../../src/drivers/sqlite/claims.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { AgentAdapter } from '../../src/ports/agent-adapter.ts';
import type { ConversationClaim } from '../../src/ports/claims.ts';
import { drainSpool } from '../../src/services/fleet/drain.ts';
import { findConversation } from '../../src/services/fleet/find-conversation.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn, onlyAgent } from '../support/fleet-context.ts';

/** An agent that names its conversations itself and tells nothing by hooks. */
const silent: AgentAdapter = {
  ...demo,
  card: { ...demo.card, conversationId: 'store', readyHook: false },
};
const START = Date.parse('2026-11-30T12:00:00Z');
const TYPED = START + 10_000;

let root = '';
let registry: SqliteRegistry;
let session: Session;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-f-'));
  mkdirSync(join(root, '.mam-demo/conversations'), { recursive: true });
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
  session = newSession('api', null);
});

afterEach(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

describe('the conversation of a session that knows none', () => {
  it('is the one that has the prompt it was given', () => {
    entered('fix the parser');
    conversation('mine', ['fix the parser']);
    conversation('other', ['write a poem']);
    expect(find()).toEqual({ id: 'mine' });
  });

  it('is not the newest one, nor one of another folder, nor one from before', () => {
    entered('go on');
    conversation('newest', ['something else']);
    conversation('elsewhere', ['go on'], { cwd: '/elsewhere' });
    conversation('old-file', ['go on'], { modifiedMs: START - 60_000 });
    conversation('old-text', ['go on'], { atMs: START - 60_000 });
    expect(find().id).toBeUndefined();
  });

  it('is not told by a text that was only queued', () => {
    entered('go on', { enters: 0, state: 'queued', typedAtMs: null });
    conversation('other', ['go on']);
    expect(find().id).toBeUndefined();
  });

  it('is refused with the candidates when two have the same prompt, and told by the next one', () => {
    entered('go on');
    conversation('one', ['go on']);
    conversation('two', ['go on']);
    const refused = find();
    expect(refused.id).toBeUndefined();
    expect(
      'candidates' in refused && refused.candidates.map(({ id, firstPrompt }) => [id, firstPrompt]),
    ).toEqual([
      ['one', 'go on'],
      ['two', 'go on'],
    ]);
    entered('now the tests');
    conversation('two', ['go on', 'now the tests']);
    expect(find()).toEqual({ id: 'two' });
  });

  it('is none that another session has, here or in a workspace that lives', () => {
    entered('go on');
    conversation('theirs', ['go on']);
    conversation('far', ['go on']);
    conversation('mine', ['go on']);
    newSession('other', 'theirs');
    claimElsewhere('far');
    expect(find()).toEqual({ id: 'mine' });
  });

  it('is not guessed where nothing was sent: a program started by hand may have written it', () => {
    conversation('somebodys', ['hello']);
    expect(find()).toMatchObject({ candidates: [{ id: 'somebodys' }] });
  });

  it('is the one whose file the process holds open', () => {
    const path = conversation('held', ['hello']);
    const handle = openSync(path, 'r');
    expect(handle).toBeGreaterThan(0);
    const { pid, startTicks } = openProcessTable().self;
    const own: AgentAdapter = {
      ...silent,
      store: { ...silent.store, idOfOpenFile: (each) => (each === path ? 'held' : undefined) },
    };
    session = put({ ...session, agentProcess: { pid, startTicks } });
    expect(find(own)).toEqual({ id: 'held' });
  });

  it('is not taken from a name that could leave the store', () => {
    entered('go on');
    conversation('mine', ['go on']);
    const lying = { ...silent.store, idOf: () => '../../etc' };
    expect(find({ ...silent, store: lying }).id).toBeUndefined();
  });
});

describe('what a drain makes of it', () => {
  it('records it, claims it, and keeps it', () => {
    entered('fix the parser');
    conversation('mine', ['fix the parser']);
    drain();
    expect(recorded()).toEqual([[], 'mine']);
    expect(claims().find(keyOf('mine'))).toMatchObject({ sessionName: 'api' });
    conversation('other', ['fix the parser']);
    drain();
    expect(recorded()).toEqual([[], 'mine']);
  });

  it('follows a command that began another one at once', () => {
    session = put({ ...session, conversationId: 'first' });
    conversation('first', ['one']);
    entered('/clear', { kind: 'command' });
    entered('two', { typedAtMs: Date.now() });
    conversation('second', ['two'], { atMs: Date.now() });
    drain();
    expect(recorded()).toEqual([['first'], 'second']);
  });

  it('waits without one until the agent has had its time to write', () => {
    session = put({ ...session, conversationId: 'first' });
    conversation('first', ['one']);
    const delivery = entered('two', { typedAtMs: Date.now() });
    conversation('second', ['two'], { atMs: Date.now() });
    drain();
    expect(recorded()).toEqual([[], 'first']);
    const typedAtMs = Date.now() - silent.card.evidenceTimeoutMs - 1;
    registry.update((tx) => tx.putDelivery({ ...delivery, typedAtMs }));
    drain();
    expect(recorded()).toEqual([['first'], 'second']);
  });

  it('stays where the prompt is in the recorded one', () => {
    session = put({ ...session, conversationId: 'first' });
    entered('/clear', { kind: 'command' });
    entered('two');
    conversation('first', ['two']);
    conversation('second', ['two']);
    drain();
    expect(recorded()).toEqual([[], 'first']);
  });
});

function newSession(name: string, conversationId: string | null): Session {
  const storeFolder = join(root, '.mam-demo');
  return put(
    exampleSession(name, { launch: ulid(START), conversationId, storeFolder, prompted: true }),
  );
}

function put(next: Session): Session {
  registry.update((tx) => tx.putSession(next));
  return next;
}

/** A text for which Enter was pressed. */
function entered(text: string, change: Partial<Delivery> = {}): Delivery {
  const now = new Date(TYPED).toISOString();
  const delivery: Delivery = {
    ...{ id: `dlv_${ulid(Date.now())}`, sessionId: session.id, launch: session.launch },
    ...{ kind: 'prompt', number: 1, hash: demo.planTyping(text).hash, state: 'entered' },
    ...{ reason: null, evidence: null, enters: 1, cursor: null, owner: null },
    ...{ createdAt: now, updatedAt: now, typedAtMs: TYPED, againOf: null, answer: null },
    ...change,
  };
  registry.update((tx) => tx.putDelivery(delivery));
  return delivery;
}

function conversation(
  id: string,
  prompts: readonly string[],
  about: { cwd?: string; atMs?: number; modifiedMs?: number } = {},
): string {
  const path = join(root, '.mam-demo/conversations', `${id}.jsonl`);
  const at = new Date(about.atMs ?? TYPED + 100).toISOString();
  const lines = [
    { type: 'meta', cwd: about.cwd ?? session.cwd },
    ...prompts.map((text) => ({ type: 'user', text, at })),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const seconds = (about.modifiedMs ?? TYPED + 200) / 1000;
  utimesSync(path, seconds, seconds);
  return path;
}

function claims() {
  return sqliteClaims(join(root, 'claims.db'));
}

function keyOf(conversationId: string) {
  return { agent: 'demo', folder: join(root, '.mam-demo'), conversationId };
}

/** By a workspace whose command lives, or did: this process. */
function claimElsewhere(conversationId: string, about: Partial<ConversationClaim> = {}): void {
  const claim = {
    ...keyOf(conversationId),
    ...{ workspaceId: 'other', workspaceRoot: '/other', sessionId: 'ses_o', sessionName: 'o' },
    ...{ launch: 'L', owner: openProcessTable().self, agentProcess: null },
    takenAtMs: systemClock.nowMs(),
    ...about,
  };
  expect(claims().take(claim, () => false)).toBeUndefined();
}

function recorded(): unknown {
  const row = registry.read((reader) => reader.findSessionById(session.id));
  return [row?.conversationHistory, row?.conversationId];
}

function find(adapter = silent) {
  return findConversation(contextOf(adapter), session);
}

function drain(): void {
  drainSpool(contextOf(silent), session, session.launch);
}

function contextOf(adapter: AgentAdapter) {
  return fleetContextIn(root, registry, { adapters: onlyAgent(adapter) });
}
