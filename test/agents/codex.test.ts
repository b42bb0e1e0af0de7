import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CodexBed } from '../support/real-agents/codex-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

const shipped = new URL('../../src/assets/agents/codex.yaml', import.meta.url);

describe('the main job on the real Codex, by its card alone', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await CodexBed.open();
    expect(await bed.checks()).toMatchObject({ 'agent-codex': true, 'agent-codex-version': true });
    const seen = await doMainJob(bed, {
      asReceived: (sent) => sent.trim(),
      isOwn: (command) => command.includes('--no-daemon'),
    });
    // npm's script and the native program.
    expect(seen).toEqual({ evidence: 'transcript', processes: 2, keptFirst: true });
  });
});

describe('a card of the user', () => {
  it('makes an agent, is told where it is wrong, and leaves its sessions to be stopped', async () => {
    await using bed = await CodexBed.open();
    const folder = join(bed.cwd, '.mam', 'agents');
    const card = join(folder, 'mine.yaml');
    mkdirSync(folder, { recursive: true });
    writeFileSync(card, readFileSync(shipped));
    const create = ['create', 'a1', '--agent', 'mine', '--role', 'creator', '--json'];
    expect((await bed.ok(create)).json.session.agent).toBe('mine');
    expect((await bed.ask('a1', 'hello')).json.delivery.answer).toBe('echo: hello');
    expect((await bed.session('a1')).activity.state).toBe('idle');

    writeFileSync(card, `${readFileSync(shipped, 'utf8')}colour: red\n`);
    const line = readFileSync(shipped, 'utf8').split('\n').length;
    const wrong = await bed.mam(['create', 'a2', ...create.slice(2)]);
    expect([wrong.code, wrong.json.error.code]).toEqual([2, 'config.invalid']);
    expect(wrong.json.error.message).toContain(`${card}:${line}:1: unknown key "colour"`);

    rmSync(card);
    expect((await bed.session('a1')).activity.state).toBe('unknown');
    const refused = await bed.mam(['send', 'a1', 'hello?', '--json']);
    expect([refused.code, refused.json.error.code]).toEqual([2, 'usage.invalid']);
    expect(refused.json.error.message).toContain('"mine"');
    const stopped = await bed.ok(['stop', 'a1', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ status: 'stopped', survivors: [] });
  });
});
