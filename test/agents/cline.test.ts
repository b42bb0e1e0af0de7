import { describe, expect, it } from 'vitest';
import { ClineBed } from '../support/real-agents/cline-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

describe('the main job on the real Cline', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await ClineBed.open();
    const { evidence, ...seen } = await doMainJob(bed, {
      isOwn: (command) => command.includes('--config'),
    });
    // npm's script and its program, which do not name the conversation.
    expect(seen).toEqual({ processes: 2, keptFirst: true });
    // Whichever is quicker.
    expect(['hook', 'transcript']).toContain(evidence);
  });
});
