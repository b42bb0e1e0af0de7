import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

/** docs/delivery.md: what the process had done when it was killed there. */
const points = [
  ['delivery.1', 'stored the row'],
  ['delivery.3', 'looked twice'],
  ['delivery.4', 'committed that it will type'],
  ['delivery.5', 'typed, and not committed it'],
  ['delivery.6', 'committed that it typed'],
  ['delivery.7', 'seen the text and stored the cursor'],
  ['delivery.8', 'pressed Enter, and not committed it'],
  ['delivery.9', 'committed that Enter was pressed'],
  ['delivery.10', 'seen evidence, and not committed it'],
] as const;

const texts = (bed: TestBed) => bed.truth().map(({ mode, text }) => [mode, text]);
const prompts = (...wanted: readonly string[]) => wanted.map((text) => ['prompt', text]);

/** Sends with an id and is killed at `crashAt`. */
async function crash(bed: TestBed, crashAt: string, text: string, id: string): Promise<void> {
  const { code, signal } = await bed.mam(['send', 'a1', text, '--id', id], { crashAt });
  expect([code, signal]).toEqual([null, 'SIGKILL']);
}

function send(bed: TestBed, text: string, ...rest: readonly string[]): Promise<CliResult> {
  return bed.mam(['send', 'a1', text, '--json', ...rest]);
}

function expectNoBuffer(bed: TestBed): void {
  expect(bed.tmux('list-buffers').stdout).toBe('');
}

describe('a delivery whose process was killed', () => {
  it.each(points)('is gone on with by the same id after %s (%s)', async (point) => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, point, 'once', 'd1');
    const conflict = await send(bed, 'other text', '--id', 'd1');
    expect(conflict.code).toBe(4);
    expect(conflict.json.error.code).toBe('delivery.conflict');
    const { code, json } = await send(bed, 'once', '--id', 'd1');
    expect(code, JSON.stringify(json)).toBe(0);
    expect(json.delivery).toMatchObject({ id: 'd1', state: 'submitted', again_of: null });
    expect(json.delivery.evidence.source).toBe('hook');
    expect(texts(bed)).toEqual(prompts('once'));
    const asked = await send(bed, 'once', '--id', 'd1');
    expect(asked.json.delivery.state).toBe('submitted');
    expect(texts(bed)).toEqual(prompts('once'));
    expectNoBuffer(bed);
  });

  it.each(points)('goes out before another text after %s (%s)', async (point) => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, point, 'first', 'd1');
    const second = await send(bed, 'second');
    expect(second.code, second.stdout).toBe(0);
    expect(texts(bed)).toEqual(prompts('first', 'second'));
    const first = await send(bed, 'first', '--id', 'd1');
    expect(first.json.delivery).toMatchObject({ state: 'submitted' });
    expect(texts(bed)).toEqual(prompts('first', 'second'));
    expectNoBuffer(bed);
  });

  it('keeps the order of several that were killed', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.1', 'first', 'd1');
    await crash(bed, 'delivery.1', 'second', 'd2');
    await send(bed, 'third');
    expect(texts(bed)).toEqual(prompts('first', 'second', 'third'));
  });

  it('is submitted once when five processes ask for the same id at once', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.6', 'once', 'd1');
    const results = await Promise.all(
      Array.from({ length: 5 }, () => send(bed, 'once', '--id', 'd1')),
    );
    expect(results.map(({ json }) => json.delivery?.state)).toEqual(Array(5).fill('submitted'));
    expect(texts(bed)).toEqual(prompts('once'));
  });
});

describe('a delivery whose agent is gone', () => {
  async function killAgent(bed: TestBed): Promise<void> {
    const { agent_pid: agent } = await bed.session('a1');
    process.kill(agent, 'SIGKILL');
    await untilEnded(bed, agent);
  }

  async function killServer(bed: TestBed): Promise<void> {
    const { agent_pid: agent } = await bed.session('a1');
    process.kill(Number(bed.tmux('display-message', '-p', '#{pid}').stdout), 'SIGKILL');
    await untilEnded(bed, agent);
  }

  async function untilEnded(bed: TestBed, agent: number): Promise<void> {
    await until('the agent is gone', () => bed.processes().every(({ pid }) => pid !== agent));
    await until('it is seen', async () => {
      return /exited|lost/.test((await bed.session('a1')).activity.state);
    });
  }

  /** Waits until the agent has taken the text and its hook was written. */
  async function untilTold(bed: TestBed): Promise<void> {
    await until('the hook of the submission', () =>
      spoolFiles(bed).some((file) => file.endsWith('UserPromptSubmit')),
    );
  }

  function spoolFiles(bed: TestBed): string[] {
    const run = join(bed.cwd, '.mam', 'run');
    return readdirSync(run, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\/spool\/\d/.test(name))
      .map((name) => join(run, name));
  }

  async function expectUnknownThenAgain(bed: TestBed): Promise<void> {
    const lost = await send(bed, 'once', '--id', 'd1');
    expect(lost.code).toBe(6);
    expect(lost.json.delivery).toMatchObject({ id: 'd1', state: 'unknown', evidence: null });
    await bed.ok(['resume', 'a1']);
    // Never a second try by itself, and never the same id.
    expect((await send(bed, 'once', '--id', 'd1')).json.delivery.state).toBe('unknown');
    expect(texts(bed)).toEqual([]);
    const again = await send(bed, 'once', '--id', 'd1', '--again');
    expect(again.code).toBe(0);
    expect(again.json.delivery).toMatchObject({ state: 'submitted', again_of: 'd1' });
    expect(again.json.delivery.id).not.toBe('d1');
    // Asked again, it is that repeat, not another one.
    const asked = await send(bed, 'once', '--id', 'd1', '--again');
    expect(asked.json.delivery.id).toBe(again.json.delivery.id);
    // What stands in the conversation is the repeat's, not its own.
    expect((await send(bed, 'once', '--id', 'd1')).json.delivery.state).toBe('unknown');
    expect(texts(bed)).toEqual(prompts('once'));
  }

  it('is unknown when the agent was killed before Enter, and is repeated only on demand', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.6', 'once', 'd1');
    await killAgent(bed);
    await expectUnknownThenAgain(bed);
  });

  it('is unknown when the tmux server was killed before Enter', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.5', 'once', 'd1');
    await killServer(bed);
    await expectUnknownThenAgain(bed);
  });

  it('is unknown when the session was stopped before Enter', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.6', 'once', 'd1');
    await bed.ok(['stop', 'a1']);
    await expectUnknownThenAgain(bed);
  });

  it.each(['agent', 'server'])('is proven by the spool when the %s was killed', async (what) => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.8', 'once', 'd1');
    await untilTold(bed);
    await (what === 'agent' ? killAgent(bed) : killServer(bed));
    const { code, json } = await send(bed, 'once', '--id', 'd1');
    expect(code).toBe(0);
    expect(json.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'hook' } });
    expect(texts(bed)).toEqual(prompts('once'));
  });

  it('is proven by the transcript when no hook was written', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.8', 'once', 'd1');
    await untilTold(bed);
    await killAgent(bed);
    for (const file of spoolFiles(bed)) rmSync(file);
    const { code, json } = await send(bed, 'once', '--id', 'd1');
    expect(code).toBe(0);
    expect(json.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'transcript' } });
    expect(texts(bed)).toEqual(prompts('once'));
  });

  it('is settled by its own launch after a resume, and the next text goes to the new one', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'so that there is a conversation']);
    await crash(bed, 'delivery.8', 'once', 'd1');
    await until('it is submitted', () => bed.truth().length === 2);
    await untilTold(bed);
    await bed.ok(['stop', 'a1']);
    await bed.ok(['resume', 'a1']);
    await bed.ok(['send', 'a1', 'next']);
    const { json } = await send(bed, 'once', '--id', 'd1');
    expect(json.delivery.state).toBe('submitted');
    const taken = texts(bed).filter(([mode]) => mode === 'prompt');
    expect(taken).toEqual(prompts('so that there is a conversation', 'once', 'next'));
  });

  it('is refused, not typed elsewhere, when it was still queued', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await crash(bed, 'delivery.1', 'once', 'd1');
    await killAgent(bed);
    await bed.ok(['resume', 'a1']);
    const { code, json } = await send(bed, 'once', '--id', 'd1');
    expect(code).toBe(4);
    expect(json.delivery.reason).toMatch(/^ended/);
    await bed.ok(['send', 'a1', 'once', '--id', 'd1', '--again']);
    expect(texts(bed)).toEqual(prompts('once'));
  });

  it('cannot be sent to a session that does not run', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['stop', 'a1']);
    const { code, json } = await send(bed, 'hello');
    expect(code).toBe(4);
    expect(json.error).toMatchObject({ code: 'session.wrong-state', hint: 'mam resume a1' });
  });
});
