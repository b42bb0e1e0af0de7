import { chmodSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withDatabase } from '../support/registry-sql.ts';
import { type CliResult, type RunOptions, TestBed } from '../support/test-bed.ts';

const resumeIt = ['resume', 'a1', '--prompt', 'go on', '--json'];

describe('BL-23 resume with an id that has no transcript', () => {
  it.each([
    ['(a) missing', 'no file at', (file: string) => rmSync(file)],
    ['(b) of zero bytes', 'is empty', (file: string) => truncateSync(file)],
    ['(b) without a message', 'holds no message', (file: string) => writeFileSync(file, '{}\n')],
    ['(b) a folder', 'is not a file', makeFolder],
  ])('starts nothing when it is %s, and says where it looked', async (_, reason, damage) => {
    await using bed = await TestBed.open();
    const { file, before } = await stoppedSession(bed);
    damage(file);
    await expectSameAnswerTwice(bed, before, {}, (error) => {
      expect(error.code).toBe('conversation.unknown');
      expect(error.message).toContain(reason);
      expect(error.message).toContain(file);
      expect(error.details.looked).toContain(file);
      expect(error.hint).toContain('mam resume a1 --fresh');
    });
  });

  it('starts nothing when (c) it cannot be read', async () => {
    await using bed = new TestBed();
    const options = { asUser: true };
    bed.giveToUser();
    await bed.ok(['init'], options);
    const { file, before } = await stoppedSession(bed, options);
    chmodSync(file, 0);
    await expectSameAnswerTwice(bed, before, options, (error) => {
      expect(error.code).toBe('conversation.unknown');
      expect(error.message).toContain(`${file} cannot be read`);
    });
    chmodSync(file, 0o600);
    await bed.ok(['resume', 'a1'], options);
    await bed.ok(['stop', 'a1'], options);
  });

  it('begins a new conversation when that is fine, and keeps the old id in the history', async () => {
    await using bed = await TestBed.open();
    const { file, before } = await stoppedSession(bed);
    rmSync(file);
    const resumed = await bed.ok([...resumeIt, '--fresh']);
    const [session] = resumed.json.sessions;
    expect(session.conversation_id).not.toBe(before.conversation_id);
    expect(session.conversation_history).toEqual([before.conversation_id]);
    expect(resumed.stderr).toContain(`Conversation ${before.conversation_id} is not there`);
    expect(texts(bed, session.conversation_id)).toEqual(['go on']);
    await bed.ok(['stop', 'a1']);
    await bed.ok(['resume', 'a1']);
    expect((await bed.session('a1')).conversation_id).toBe(session.conversation_id);
  });

  it('says where it was found when (d) it lies under another folder', async () => {
    await using bed = await TestBed.open();
    const { file, before } = await stoppedSession(bed);
    const elsewhere = moveAway(bed, file);
    await expectSameAnswerTwice(bed, before, {}, (error) => {
      expect(error.code).toBe('agent.start-failed');
      expect(error.message).toContain(`was found at ${elsewhere}`);
      expect(error.message).toContain('No conversation found');
    });
  });

  it('tries once when (e) the agent says that the id is in use', async () => {
    await using bed = await TestBed.open();
    const inUse = 'Error: Session ID is already in use.';
    const { before } = await stoppedSession(bed, {}, ['--exit-on-resume', inUse]);
    await expectSameAnswerTwice(bed, before, {}, (error) => {
      expect(error.code).toBe('agent.start-failed');
      expect(error.message).toContain(inUse);
      expect(error.details.exit_code).toBe(1);
    });
  });

  it('notices when (f) the agent warns and begins anew under another id', async () => {
    await using bed = await TestBed.open();
    const { file, before } = await stoppedSession(bed, {}, ['--unknown-resume', 'fresh']);
    moveAway(bed, file);
    await expectSameAnswerTwice(bed, before, {}, (error) => {
      expect(error.code).toBe('conversation.not-resumed');
      expect(error.details.asked).toBe(before.conversation_id);
      expect(error.details.came_up).not.toBe(before.conversation_id);
    });
  });

  it('finds a conversation whose first prompt alone is longer than what is read at first', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const input = `HEAD ${'x'.repeat(300_000)} TAIL`;
    await bed.ok(['send', 'a1', '-', '--wait', 'answered'], { input });
    await bed.ok(['stop', 'a1']);
    await bed.ok(['resume', 'a1']);
    const { stdout } = await bed.ok(['send', 'a1', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('I remember 1 earlier messages: "HEAD xxx');
  });

  it('brings back a conversation that no hook has told of', async () => {
    await using bed = await TestBed.open();
    const { before } = await stoppedSession(bed);
    withDatabase(bed, (db) =>
      db.exec("UPDATE sessions SET data = json_set(data, '$.prompted', json('false'))"),
    );
    await bed.ok(['resume', 'a1']);
    expect((await bed.session('a1')).conversation_id).toBe(before.conversation_id);
    const { stdout } = await bed.ok(['send', 'a1', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('"first"');
  });
});

interface Stopped {
  readonly conversation_id: string;
}

async function stoppedSession(
  bed: TestBed,
  options: RunOptions = {},
  agentArgs: readonly string[] = [],
): Promise<{ file: string; before: Stopped }> {
  const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--', ...agentArgs];
  await bed.ok(create, options);
  await bed.ok(['send', 'a1', 'first', '--wait', 'answered'], options);
  await bed.ok(['stop', 'a1'], options);
  const before = (await bed.ok(['status', 'a1', '--json'], options)).json.sessions[0];
  const file = join(bed.demoHome, 'conversations', `${before.conversation_id}.jsonl`);
  return { file, before };
}

interface FailedResume {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Twice the same answer; nothing runs, nothing was delivered, and the session is as it was. */
async function expectSameAnswerTwice(
  bed: TestBed,
  before: Stopped,
  options: RunOptions,
  check: (error: FailedResume) => void,
): Promise<void> {
  const codes: (number | null)[] = [];
  for (const attempt of [1, 2]) {
    const result: CliResult = await bed.mam(resumeIt, options);
    codes.push(result.code);
    expect(result.json.sessions, `attempt ${attempt}`).toEqual([]);
    const [{ name, error }] = result.json.failed;
    expect(name).toBe('a1');
    check(error);
    const after = (await bed.ok(['status', 'a1', '--json'], options)).json;
    expect(after.sessions[0]).toEqual(before);
    expect(after.tmux.server).not.toBe('gone');
    expect(bed.tmux('list-sessions').stdout).toBe('');
  }
  expect(codes[0]).toBe(codes[1]);
  expect(codes[0]).toBeGreaterThan(1);
  expect(bed.truth().map(({ text }) => text)).toEqual(['first', '/exit']);
}

function texts(bed: TestBed, conversationId: string): string[] {
  return bed.truth(conversationId).map(({ text }) => text);
}

function moveAway(bed: TestBed, file: string): string {
  const folder = join(bed.demoHome, 'conversations', 'another-project');
  mkdirSync(folder);
  const elsewhere = join(folder, file.slice(file.lastIndexOf('/') + 1));
  renameSync(file, elsewhere);
  return elsewhere;
}

function makeFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}
