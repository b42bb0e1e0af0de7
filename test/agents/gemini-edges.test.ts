import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWERED } from '../support/real-agents/agent-bed.ts';
import {
  refusesLoggedOut,
  runsToolUnasked,
  stopsWhileAtWork,
  tellsOfLostTurns,
  waitsForLogin,
} from '../support/real-agents/endings.ts';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';

describe('the real Gemini CLI', () => {
  it('gets as text what it would take for something else, and commands once', async () => {
    await using bed = await GeminiBed.open();
    await bed.create('api');
    const last = () => bed.prompts().at(-1);
    writeFileSync(join(bed.cwd, 'notes.md'), 'notes');
    for (const text of [
      '@nobody is not a file',
      '/help\nis no command here',
      'a path at the end C:\\',
      'see @nothing-of-this-name',
      '?',
    ]) {
      const { json } = await bed.ask('api', text);
      expect(json.delivery).toMatchObject({
        state: 'answered',
        evidence: { source: 'transcript' },
      });
      expect(last()?.replace('\u2060', '')).toBe(text);
    }
    // The file is taken in, and what was typed is recognised all the same.
    const withFile = await bed.ask('api', '@notes.md [[say read]]');
    expect(withFile.json.delivery).toMatchObject({ state: 'answered', answer: 'read' });
    for (const command of ['/about', '/memory show']) {
      const { json } = await bed.ok(['send', 'api', command, '--json']);
      expect(json.delivery).toMatchObject({
        state: 'submitted',
        evidence: { source: 'screen' },
      });
    }
    const large = `${'A line of a large text, 世界 and more.\n'.repeat(5_900)}[[say took it]]`;
    expect(Buffer.byteLength(large)).toBeGreaterThan(240_000);
    const whole = await bed.ok(['send', 'api', '--file', '-', ...ANSWERED], { input: large });
    expect(whole.json.delivery).toMatchObject({ state: 'answered', answer: 'took it' });
    expect(last()).toBe(large);
  });

  it('tells of turns that end without an answer, and of a quota', async () => {
    await using bed = await GeminiBed.open();
    await bed.create('api');
    await tellsOfLostTurns(bed);
    const limited = await bed.mam(['send', 'api', 'go [[limit day]]', ...ANSWERED]);
    expect(limited.code).toBe(9);
    expect(limited.json.delivery.reason).toBe('dialog: limit');
    expect((await bed.session('api')).activity).toMatchObject({ detail: 'limit' });
    await bed.ok(['answer', 'api', 'stop']);
  });

  it('waits for a person where no way to log in was chosen', async () => {
    await using bed = await GeminiBed.open();
    writeFileSync(join(bed.home.path, '.gemini', 'settings.json'), '{}');
    await waitsForLogin(bed);
    Reflect.deleteProperty(bed.env, 'GEMINI_API_KEY');
    await refusesLoggedOut(bed);
    expect(await bed.checks()).toMatchObject({
      'agent-gemini': true,
      'agent-gemini-auth': false,
      'agent-gemini-version': true,
      'agent-gemini-retention': true,
    });
  });

  it('asks nothing where permissions are skipped, and ends by its child while it works', async () => {
    await using bed = await GeminiBed.open();
    await bed.create('api', ['--permissions', 'skip']);
    await runsToolUnasked(bed);
    await stopsWhileAtWork(bed);
  });
});
