import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo/index.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { AgentAdapter } from '../../src/ports/agent-adapter.ts';
import { drainSpool } from '../../src/services/fleet/drain.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn, onlyAgent } from '../support/fleet-context.ts';

const [A, B, C] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'];
const session = exampleSession('api', { conversationId: A ?? '' });
let root = '';
let registry: SqliteRegistry;
let warnings: string[] = [];

beforeEach(() => {
  warnings = [];
  root = mkdtempSync(join(tmpdir(), 'mam-c-'));
  mkdirSync(join(root, '.mam/run', session.launch, 'spool'), { recursive: true });
  mkdirSync(join(root, '.mam-demo/conversations'), { recursive: true });
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
  registry.update((tx) => tx.putSession(session));
});

afterEach(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

describe('the conversation that a session is on', () => {
  it('moves with the newest start of one', () => {
    writeTranscript(B);
    hook(1, 'SessionEnd', A, { reason: 'clear' });
    hook(2, 'SessionStart', B, { source: 'clear' });
    drain();
    expect(conversations()).toEqual([A, B]);
  });

  it('does not move by an event that starts none, whoever wrote it', () => {
    writeTranscript(B);
    hook(1, 'UserPromptSubmit', B, { prompt: 'hello' });
    hook(2, 'Stop', B, {});
    hook(3, 'SessionEnd', B, { reason: 'clear' });
    drain();
    expect(conversations()).toEqual([A]);
  });

  it('is not moved back by an older start, or by the last word of the one that was left', () => {
    for (const id of [A, B, C]) writeTranscript(id);
    hook(3, 'SessionStart', B, { source: 'clear' });
    drain();
    hook(2, 'SessionStart', C, { source: 'clear' });
    hook(4, 'SessionEnd', A, { reason: 'clear' });
    drain();
    expect(conversations()).toEqual([A, B]);
  });

  it('moves when the transcript appears, without another event', () => {
    hook(1, 'SessionStart', B, { source: 'clear' });
    drain();
    expect(conversations()).toEqual([A]);
    writeTranscript(B);
    drain();
    expect(conversations()).toEqual([A, B]);
  });

  it('never goes to one whose transcript is not there, nor back to what came before it', () => {
    writeTranscript(B);
    hook(1, 'SessionStart', B, { source: 'clear' });
    hook(2, 'SessionStart', C, { source: 'clear' });
    drain();
    expect(conversations()).toEqual([A]);
  });

  it('stays where it is when another session owns the newest', () => {
    registry.update((tx) => tx.putSession(exampleSession('other', { conversationId: B ?? '' })));
    writeTranscript(B);
    hook(1, 'SessionStart', B, { source: 'resume' });
    drain();
    expect(conversations()).toEqual([A]);
    expectNothingWritten();
  });

  it.each([
    ['is found in its store', { conversationId: 'store' }],
    ['is named by its events, not by their path', { hookIdentity: 'payload' }],
  ] as const)('stays where it is when the conversation of an agent %s', (_, change) => {
    writeTranscript(B);
    hook(1, 'SessionStart', B, { source: 'clear' });
    drain({ ...demo, card: { ...demo.card, ...change } });
    expect(conversations()).toEqual([A]);
  });

  it('is named by its first turn, before it has a transcript, where the agent chooses its id', () => {
    registry.update((tx) => tx.putSession({ ...session, conversationId: null }));
    turn(1, B);
    drain(choosing);
    expect(conversations()).toEqual([B]);
    turn(3, C);
    turn(2, A, 4);
    drain(choosing);
    expect(conversations()).toEqual([B, C]);
    expect(registry.read((reader) => reader.findSessionById(session.id))?.prompted).toBe(true);
  });

  it('is not named by a turn where mam chooses the id', () => {
    writeTranscript(B);
    turn(1, B);
    drain({ ...choosing, card: demo.card });
    expect(conversations()).toEqual([A]);
  });

  it('writes nothing when there is nothing to say', () => {
    writeTranscript(B);
    hook(1, 'SessionStart', B, { source: 'clear' });
    drain();
    expectNothingWritten();
  });
});

/** A drain that comes too late to be of use. */
function expectNothingWritten(): void {
  const before = registry.read((reader) => reader.revision());
  drain();
  expect(registry.read((reader) => reader.revision())).toBe(before);
}

/** An agent of the kind whose hooks tell of a turn, with the moment, and not of the prompt. */
const choosing: AgentAdapter = {
  ...demo,
  card: { ...demo.card, conversationId: 'hook' },
  readHook: (event, payload) => {
    const { session_id: conversationId, fired } = payload as Record<string, string>;
    const firedAtMs = Number(fired) * 1_000;
    return event === 'TaskStart' && conversationId !== undefined
      ? { kind: 'turn-started', conversationId, firedAtMs }
      : undefined;
  },
};

/** A turn that began at second `fired`, of which the hook wrote at second `at`. */
function turn(fired: number, id: string | undefined, at = fired): void {
  hook(at, 'TaskStart', id, { fired });
}

/** A hook event of the session's launch, at second `at`. */
function hook(at: number, event: string, id: string | undefined, fields: object): void {
  const path = join(root, '.mam/run', session.launch, 'spool', `${at}.1.${event}`);
  writeFileSync(path, JSON.stringify({ session_id: id, ...fields }));
  utimesSync(path, at, at);
}

function writeTranscript(id: string | undefined): void {
  const path = join(root, '.mam-demo/conversations', `${id}.jsonl`);
  writeFileSync(path, `${JSON.stringify({ type: 'user', text: 'hi', at: '2026-11-30' })}\n`);
}

describe('a spool over its bound', () => {
  it('loses its oldest events unread, says how many, and keeps the others in their order', () => {
    const folder = join(root, '.mam/run', session.launch, 'spool');
    const payload = JSON.stringify({ session_id: A, prompt: 'hello' });
    for (let second = 1; second <= 10_003; second++) {
      writeFileSync(join(folder, `${second}.1.UserPromptSubmit`), payload);
    }
    drain();
    expect(warnings).toEqual(['3 hook events of "api" were dropped: more than 10000 had waited.']);
    expect(readdirSync(folder)).toEqual([]);
    const [oldest] = registry.read((reader) => reader.hookEvents(session.launch));
    expect(Number(oldest?.name.split('.')[0])).toBeGreaterThan(3);
    drain();
    expect(warnings).toHaveLength(1);
  });
});

function drain(adapter: AgentAdapter = demo): void {
  const context = fleetContextIn(root, registry, {
    adapters: onlyAgent(adapter),
    logger: { warn: (message) => void warnings.push(message), debug: () => undefined },
  });
  drainSpool(context, session, session.launch);
}

/** Earlier ones first, then the one it is on. */
function conversations(): readonly (string | null | undefined)[] {
  const stored = registry.read((reader) => reader.findSessionById(session.id));
  return [...(stored?.conversationHistory ?? []), stored?.conversationId];
}
