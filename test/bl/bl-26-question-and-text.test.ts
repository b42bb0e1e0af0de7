import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-26 a permission question and our text', () => {
  it('is seen each time, and no text of ours answers it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    for (const command of ['rm build/tmp.txt', 'rm build/tmp.txt']) {
      await bed.ok(['send', 'a', `[[permission ${command}]] [[say went on]]`]);
      await bed.ok(['status', 'a', '--wait', 'awaiting-approval']);
      const { activity } = await bed.session('a');
      expect(activity).toMatchObject({ detail: 'permission' });
      const refused = await bed.mam(['send', 'a', '1 more thing', '--json']);
      expect([refused.code, refused.json.delivery.state]).toEqual([9, 'refused']);
      expect(refused.json.delivery.reason).toContain('permission');
      expect((await bed.session('a')).activity.state).toBe('awaiting-approval');
      await bed.ok(['answer', 'a', 'no']);
      await bed.ok(['status', 'a', '--wait', 'idle']);
    }
    const said = bed.truth().map(({ text }) => text);
    expect(said).not.toContain('1 more thing');
    await bed.ok(['stop', 'a']);
  });

  it('is not one when an answer only quotes it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const quote = 'Bash command: rm build/tmp.txt Do you want to proceed? ❯ 1. Yes 2. No (esc)';
    await bed.ok(['send', 'a', `[[say ${quote}]]`, '--wait', 'answered']);
    expect((await bed.session('a')).activity.state).toBe('idle');
    const next = await bed.ok(['send', 'a', 'next', '--wait', 'answered', '--json']);
    expect(next.json.delivery.answer).toBe('echo: next');
    await bed.ok(['stop', 'a']);
  });
});
