import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWERED } from '../support/real-agents/agent-bed.ts';
import { ClineBed } from '../support/real-agents/cline-bed.ts';
import {
  refusesLoggedOut,
  runsToolUnasked,
  stopsWhileAtWork,
  tellsOfLostTurns,
  waitsForLogin,
} from '../support/real-agents/endings.ts';

describe('the real Cline', () => {
  it('gets as text what it would take for something else, commands once, and is followed', async () => {
    await using bed = await ClineBed.open();
    const last = () => bed.prompts().at(-1);
    // The user's own hooks run beside ours, and what they say counts.
    const heard = join(bed.home.path, 'heard');
    mkdirSync(join(bed.clineFolder, 'hooks'));
    writeFileSync(join(bed.clineFolder, 'hooks', 'TaskStart.sh'), `cat >>'${heard}'\n`);
    await bed.create('api');
    expect((await bed.session('api')).conversation_id).toBeNull();
    writeFileSync(join(bed.cwd, 'notes.md'), 'notes');
    const long = `one line of ${'many words '.repeat(60)}`.trim();
    for (const text of ['see @nothing', '/help\nis no command here', '/etc/hosts', 'exit', long]) {
      const { json } = await bed.ask('api', text);
      expect(json.delivery.state).toBe('answered');
      expect(last()?.replace('\u2060', '')).toBe(text);
    }
    const first = (await bed.session('api')).conversation_id ?? '';
    // No daemon that it would share with others.
    const commands = bed.processes().map((pid) => bed.commandOf(pid));
    expect(commands.some((command) => command.includes('--config'))).toBe(true);
    expect(commands.some((command) => command.includes('hub-daemon'))).toBe(false);
    expect(readFileSync(heard, 'utf8')).toContain(`"rootSessionId":"${first}"`);
    // The file is taken in, and what was typed is recognised all the same.
    const withFile = await bed.ask('api', '@./notes.md [[say read]]');
    expect(withFile.json.delivery).toMatchObject({ state: 'answered', answer: 'read' });

    const opened = await bed.ok(['send', 'api', '/settings', '--json']);
    expect(opened.json.delivery).toMatchObject({
      state: 'submitted',
      evidence: { source: 'screen' },
    });
    const refused = await bed.mam(['send', 'api', 'not into that', '--json']);
    expect(refused.code).toBe(9);
    expect(refused.json.delivery.reason).toMatch(/^overlay/);
    await bed.press('api', 'Escape');

    const large = `${'A line of a large text, 世界 and more.\n'.repeat(5_900)}[[say took it]]`;
    expect(Buffer.byteLength(large)).toBeGreaterThan(240_000);
    const cleared = await bed.ok(['send', 'api', '/clear', '--json']);
    expect(cleared.json.delivery).toMatchObject({ state: 'submitted' });
    const whole = await bed.ok(['send', 'api', '--file', '-', ...ANSWERED], { input: large });
    expect(whole.json.delivery).toMatchObject({ state: 'answered', answer: 'took it' });
    expect(last()).toBe(large);
    const { conversation_id: second, conversation_history: earlier } = await bed.session('api');
    expect(earlier).toEqual([first]);
    expect([...bed.transcripts().keys()].sort()).toEqual([first, second].sort());

    // Cline begins another conversation, under the id of one that its index does not know: it gets no prompt.
    await bed.ok(['stop', 'api']);
    const data = join(bed.clineFolder, 'data');
    rmSync(join(data, 'db'), { recursive: true });
    rmSync(join(data, 'sessions', second, `${second}.json`));
    const before = bed.transcriptOf(second);
    const failed = await bed.mam(['resume', 'api', '--prompt', 'hi', '--timeout', '12', '--json']);
    expect([failed.code === 0, failed.json.failed[0].error.code]).toEqual([
      false,
      'agent.not-ready',
    ]);
    expect(bed.transcriptOf(second)).toBe(before);

    const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
    expect(purged.json.sessions[0].status).toBe('terminated');
    expect(bed.transcripts().size).toBe(0);
  });

  it('tells of turns that end without an answer, of a limit, and of a question', async () => {
    await using bed = await ClineBed.open();
    await bed.create('api', ['--permissions', 'skip']);
    await runsToolUnasked(bed);
    await tellsOfLostTurns(bed);
    const question = '{"question":"Which colour?","options":["Red","Blue"]}';
    await bed.ok(['send', 'api', `ask [[tool ask_question ${question}]] [[say thanks]]`]);
    await bed.reaches('api', 'awaiting-answer');
    await bed.ok(['answer', 'api', 'Blue']);
    await bed.reaches('api', 'idle');
    expect(JSON.stringify(bed.model.requests().at(-1)?.turns)).toContain('Blue');
    const limited = await bed.mam(['send', 'api', 'go [[limit rate]]', ...ANSWERED]);
    expect(limited.json.delivery).toMatchObject({
      reason: expect.stringMatching(/^limit: Rate limit reached/),
    });
    await bed.reaches('api', 'idle');
    await stopsWhileAtWork(bed);
  });

  it('waits for a person where no provider is set up, and asks no program', async () => {
    await using bed = await ClineBed.open();
    const providers = join(bed.clineFolder, 'data', 'settings', 'providers.json');
    writeFileSync(providers, '{"version":1,"lastUsedProvider":"cline","providers":{"cline":{}}}');
    await waitsForLogin(bed);
    writeFileSync(providers, '{"version":1,"providers":{}}');
    await refusesLoggedOut(bed);
    expect(await bed.checks()).toMatchObject({
      'agent-cline': true,
      'agent-cline-auth': false,
      'agent-cline-version': true,
    });
  });
});
