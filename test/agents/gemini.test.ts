import { describe, expect, it } from 'vitest';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

describe('the main job on the real Gemini CLI', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await GeminiBed.open();
    const seen = await doMainJob(bed, { isOwn: (command, id) => command.includes(id) });
    // The launcher and its child, which outlives its terminal. The first prompt 0.61.0 itself drops when a
    // tool is declined, and what was declined.
    expect(seen).toEqual({ evidence: 'transcript', processes: 2, keptFirst: false });
  });
});
