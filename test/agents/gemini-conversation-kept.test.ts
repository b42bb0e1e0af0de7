import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANSWERED } from '../support/real-agents/agent-bed.ts';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';
import { until } from '../support/until.ts';

/** A resume names its file by the minute: in the same one there is no second file. The only wait. */
async function nextMinute(): Promise<void> {
  const minute = () => new Date().getUTCMinutes();
  const now = minute();
  await until('the next clock minute', () => minute() !== now, 65_000);
}

describe("a conversation that the real Gemini CLI's own clean-up would delete", () => {
  it('is there after resumes in two later minutes, each followed by another start', async () => {
    await using bed = await GeminiBed.open();
    const create = (name: string, prompt: string) => bed.create(name, ['--prompt', prompt]);
    const created = await create('api', 'the very first words [[say one]]');
    const id: string = created.json.session.conversation_id;
    await bed.reaches('api', 'idle');
    await bed.ok(['stop', 'api']);
    for (const round of ['first', 'second']) {
      await nextMinute();
      await bed.ok(['resume', 'api', '--json']);
      // The file without a message, for which the next start would delete both, is gone.
      expect(bed.chatsOf(id)).toHaveLength(1);
      await bed.ask('api', `the ${round} resume [[say two]]`);
      expect(bed.turns()).toContain('the very first words [[say one]]');
      await create(`other-${round}`, `another start, ${round} [[say ok]]`);
      await bed.ok(['stop', 'api']);
      expect(bed.chatsOf(id)).toHaveLength(1);
    }
    const [file = ''] = bed.chatsOf(id);
    expect(readFileSync(file, 'utf8')).toMatch(
      /first words[\s\S]*first resume[\s\S]*second resume/,
    );

    // What a start that came in between has deleted is put back, with what was said since.
    await bed.ok(['resume', 'api', '--json']);
    const before = readFileSync(file, 'utf8');
    rmSync(file);
    await bed.mam(['send', 'api', 'after the loss [[say still here]]', ...ANSWERED]);
    await bed.ok(['stop', 'api']);
    const after = readFileSync(file, 'utf8');
    expect(after.slice(0, 200)).toBe(before.slice(0, 200));
    expect(after).toMatch(/first words[\s\S]*second resume[\s\S]*after the loss/);
    await bed.ok(['resume', 'api', '--json']);
    await bed.ask('api', 'and now [[say whole]]');
    expect(bed.turns()).toEqual(
      expect.arrayContaining([
        'the very first words [[say one]]',
        'after the loss [[say still here]]',
      ]),
    );
    await bed.ok(['stop', '--all']);
    await until('everything ended', () => bed.processes().length === 0);
  });
});
