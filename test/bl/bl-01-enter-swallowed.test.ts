import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-01 the Enter after the text is swallowed', () => {
  it('submits 50 prompts sent back to back exactly once each, in order', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--absorb-ms', '200']);
    const texts = Array.from({ length: 50 }, (_, i) => `ping ${String(i + 1).padStart(3, '0')}`);
    for (const text of texts) {
      const { json } = await bed.ok(['send', 'a1', text, '--json']);
      expect(json.delivery.state).toMatch(/submitted|started|answered/);
      expect(json.delivery.evidence.source).toBe('hook');
    }
    expect(bed.truth().map(({ mode, text }) => [mode, text])).toEqual(
      texts.map((text) => ['prompt', text]),
    );
  });

  it('says "typed, not submitted" with a code of its own when every Enter is swallowed', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--absorb-ms', '60000']);
    const { code, json } = await bed.mam(['send', 'a1', 'ping', '--json']);
    expect(code).toBe(6);
    expect(json.delivery.state).toBe('not-submitted');
    expect(json.delivery.reason).toContain('swallowed');
    expect(bed.truth()).toEqual([]);
  });
});
