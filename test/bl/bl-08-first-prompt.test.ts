import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const PROMPT = '1. do X';
const base = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--json'];
const withPrompt = [...base, '--prompt', PROMPT];

function taken(bed: TestBed): readonly (readonly [string, string])[] {
  return bed.truth().map(({ mode, text }) => [mode, text] as const);
}

function askForTrust(bed: TestBed): void {
  writeFileSync(join(bed.cwd, '.mam', 'config.yaml'), 'create:\n  trust: ask\n');
}

describe('BL-08 the first prompt is sent before the program can read, or into a dialog', () => {
  it('(a) waits until the agent reads its input', async () => {
    await using bed = await TestBed.open();
    const { json } = await bed.ok([...withPrompt, '--', '--boot-ms', '8000']);
    expect(json.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'hook' } });
    expect(taken(bed)).toEqual([['prompt', PROMPT]]);
  });

  it('(b) leaves a trust question to the person, and the prompt goes out once after it', async () => {
    await using bed = await TestBed.open();
    askForTrust(bed);
    const created = await bed.mam([...withPrompt, '--', '--dialog', 'trust']);
    expect(created.code).toBe(5);
    expect(created.json.delivery).toMatchObject({ state: 'queued', reason: 'trust' });
    expect((await bed.session('a1')).activity).toMatchObject({
      state: 'awaiting-approval',
      detail: 'trust',
    });
    expect(taken(bed)).toEqual([]);

    const { json } = await bed.ok(['answer', 'a1', 'yes', '--json']);
    expect(json.answered).toBe('Yes, I trust this folder');
    // The next command on the session finds it delivered, or takes it up first.
    await bed.ok(['send', 'a1', 'second']);
    const id = created.json.delivery.id;
    const again = await bed.ok(['send', 'a1', PROMPT, '--id', id, '--json']);
    expect(again.json.delivery).toMatchObject({ id, state: 'submitted' });
    expect(taken(bed)).toEqual([
      ['prompt', PROMPT],
      ['prompt', 'second'],
    ]);
  });

  it('(b) takes the prompt up although the command that answered was killed', async () => {
    await using bed = await TestBed.open();
    askForTrust(bed);
    const { code } = await bed.mam([...withPrompt, '--', '--dialog', 'trust', '--boot-ms', '2000']);
    expect(code).toBe(5);
    const answering = bed.start(['answer', 'a1', 'yes']);
    await until('the dialog is closed', async () => {
      const { activity } = await bed.session('a1');
      return activity.state !== 'awaiting-approval';
    });
    answering.kill('SIGKILL');
    await bed.ok(['send', 'a1', 'second']);
    expect(taken(bed)).toEqual([
      ['prompt', PROMPT],
      ['prompt', 'second'],
    ]);
  });

  it('(b) keeps the order when another prompt comes while the question is open', async () => {
    await using bed = await TestBed.open();
    askForTrust(bed);
    await bed.mam([...withPrompt, '--', '--dialog', 'trust']);
    const second = await bed.mam(['send', 'a1', 'second', '--json']);
    expect(second.code).toBe(5);
    expect(second.json.delivery).toMatchObject({ state: 'queued', reason: 'trust' });
    await bed.ok(['answer', 'a1', 'Yes, I trust this folder']);
    await until('both are there', () => taken(bed).length === 2);
    expect(taken(bed)).toEqual([
      ['prompt', PROMPT],
      ['prompt', 'second'],
    ]);
  });

  it('(b) types nothing when the answer was no', async () => {
    await using bed = await TestBed.open();
    askForTrust(bed);
    const { json } = await bed.mam([...withPrompt, '--', '--dialog', 'trust']);
    await bed.ok(['answer', 'a1', 'no']);
    const again = await bed.mam(['send', 'a1', PROMPT, '--id', json.delivery.id, '--json']);
    expect(again.code).toBe(4);
    expect(again.json.delivery).toMatchObject({ state: 'refused' });
    expect(again.json.delivery.reason).toMatch(/^ended/);
    expect(taken(bed)).toEqual([]);
  });

  it.each(['trust', 'trust-first-yes'])(
    'answers the trust question by its words in a workspace of the user (%s)',
    async (dialog) => {
      await using bed = await TestBed.open();
      const { json } = await bed.ok([...withPrompt, '--', '--dialog', dialog]);
      expect(json.delivery.state).toBe('submitted');
      expect(taken(bed)).toEqual([['prompt', PROMPT]]);
      const trusted = JSON.parse(readFileSync(join(bed.demoHome, 'trusted.json'), 'utf8'));
      expect(trusted).toEqual({ [bed.cwd]: true });
    },
  );

  it('does not trust a folder outside the workspace by itself', async () => {
    await using bed = await TestBed.open();
    const { code, json } = await bed.mam([
      ...withPrompt,
      ...['--cwd', bed.home, '--', '--dialog', 'trust-first-yes'],
    ]);
    expect(code).toBe(5);
    expect(json.delivery).toMatchObject({ state: 'queued', reason: 'trust' });
    expect(existsSync(join(bed.demoHome, 'trusted.json'))).toBe(false);
  });

  it('leaves a login to the person', async () => {
    await using bed = await TestBed.open();
    const { code, json } = await bed.mam([...withPrompt, '--', '--dialog', 'login']);
    expect(code).toBe(5);
    expect(json.delivery).toMatchObject({ state: 'queued', reason: 'login' });
    expect(taken(bed)).toEqual([]);
  });

  it('(c) ends at its time limit and keeps the prompt of an agent that is never ready', async () => {
    await using bed = await TestBed.open();
    const { code, json } = await bed.mam([...withPrompt, '--timeout', '2', '--', '--never-ready']);
    expect(code).toBe(8);
    expect(json.error.code).toBe('agent.not-ready');
    const kept = String(json.error.details.prompt_file);
    expect(json.error.message).toContain(kept);
    expect(readFileSync(kept, 'utf8')).toBe(PROMPT);
    expect(taken(bed)).toEqual([]);
    const { json: status } = await bed.ok(['status', '--json']);
    expect(status.sessions).toMatchObject([{ name: 'a1', status: 'terminated' }]);
  });

  it('(c) says so after create --no-wait as well, and keeps the prompt queued', async () => {
    await using bed = await TestBed.open();
    await bed.ok([...base, '--no-wait', '--', '--never-ready']);
    const { code, json } = await bed.mam(['send', 'a1', PROMPT, '--timeout', '1', '--json']);
    expect(code).toBe(8);
    expect(json.delivery).toMatchObject({ state: 'queued', reason: 'timeout' });
  });

  it('brings up a session created without waiting, its trust question included', async () => {
    await using bed = await TestBed.open();
    await bed.ok([...base, '--no-wait', '--', '--dialog', 'trust', '--boot-ms', '1000']);
    await bed.ok(['send', 'a1', PROMPT]);
    expect(taken(bed)).toEqual([['prompt', PROMPT]]);
    const session = await bed.session('a1');
    expect(session.agent_pid).toBeGreaterThan(0);
    const { json } = await bed.ok(['stop', 'a1', '--json']);
    expect(json.sessions[0].ended_by).toBe('exit');
  });
});
