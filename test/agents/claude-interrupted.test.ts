import { describe, expect, it } from 'vitest';
import { ANSWERED } from '../support/real-agents/agent-bed.ts';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  'a turn of the real Claude Code %s that a person interrupts',
  (version) => {
    it('ends the wait for its answer: no hook tells of it', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.create('api');
      const asking = bed.mam(['send', 'api', 'think [[delay 90000]] [[say late]]', ...ANSWERED]);
      await bed.reaches('api', 'working');
      await bed.press('api', 'Escape');
      const { code, json } = await asking;
      expect([code, json.delivery.state]).toEqual([12, 'submitted']);
      expect(json.delivery.reason).toMatch(/^interrupted/);
    });
  },
);
