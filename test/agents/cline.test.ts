import { describe, it } from 'vitest';
import { ClineBed } from '../support/real-agents/cline-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

describe('the main job on the real Cline', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await ClineBed.open();
    await doMainJob(bed, {
      evidence: ['hook', 'transcript'],
      // npm's script and its program, which do not name the conversation.
      isOwn: (command) => command.includes('--config'),
      processes: 2,
      keepsFirst: true,
    });
  });
});
