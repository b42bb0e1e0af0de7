import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('BL-25 an old spinner, and one that stands still', () => {
  it('is idle below a screen full of old and quoted spinners, and takes the next prompt', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const quoted = ['✻ Herding… (8m 39s · ↓ 834 tokens)', 'esc to interrupt', '✢ Forging… (3s)'];
    await bed.ok(['send', 'a', '[[delay 300]] [[say first]]', '--wait', 'answered']);
    await bed.ok(['send', 'a', `[[say ${quoted.join(' ')}]]`, '--wait', 'answered']);
    expect((await bed.ok(['capture', 'a'])).stdout).toContain('esc to interrupt');
    expect((await bed.session('a')).activity).toMatchObject({ state: 'idle' });
    const next = await bed.ok(['send', 'a', 'next', '--wait', 'answered', '--json']);
    expect(next.json.delivery.answer).toBe('echo: next');
    await bed.ok(['stop', 'a']);
  });

  it('says stale of one at work whose terminal, hooks and files stand still', async () => {
    await using bed = await TestBed.open();
    bed.configure('activity: { stale_s: 2 }\n');
    await bed.create('a', ['--still']);
    await bed.ok(['send', 'a', '[[spin]]']);
    const early = (await bed.session('a')).activity;
    expect(early.state).toBe('working');
    await until('it is stale', async () => (await bed.session('a')).activity.detail === 'stale');
    const { state, source, confidence, since } = (await bed.session('a')).activity;
    expect({ state, source, confidence }).toEqual({
      ...{ state: 'working', source: 'screen', confidence: 'low' },
    });
    // The second in which tmux saw the last output.
    expect(Date.parse(since ?? '')).toBeGreaterThanOrEqual(Date.parse(early.since ?? '') - 1_000);
    await bed.ok(['stop', 'a']);
  });

  it('never says so while its spinner moves', async () => {
    await using bed = await TestBed.open();
    bed.configure('activity: { stale_s: 2 }\n');
    await bed.create('a');
    await bed.ok(['send', 'a', '[[delay 6000]] [[say done]]']);
    const seen = new Set<string | null>();
    await until('it is done', async () => {
      const { state, detail } = (await bed.session('a')).activity;
      if (state === 'working') seen.add(detail);
      return state === 'idle';
    });
    expect([...seen]).toEqual([null]);
    await bed.ok(['stop', 'a']);
  });
});
