import { describe, it } from 'vitest';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

describe('the main job on the real Gemini CLI', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await GeminiBed.open();
    await doMainJob(bed, {
      evidence: ['transcript'],
      // The launcher and its child, which outlives its terminal.
      isOwn: (command, id) => command.includes(id),
      processes: 2,
      // 0.61.0 itself drops it when a tool is declined, and what was declined.
      keepsFirst: false,
    });
  });
});
