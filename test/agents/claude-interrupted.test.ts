import { describe, expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  'a turn of the real Claude Code %s that a person interrupts',
  (version) => {
    it('ends the wait for its answer: no hook tells of it', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.ok(['create', 'api', '--agent', 'claude', '--role', 'creator', '--json']);
      const wait = ['--wait', 'answered', '--timeout', '100', '--json'];
      const asking = bed.mam(['send', 'api', 'think [[delay 90000]] [[say late]]', ...wait]);
      await bed.ok(['status', 'api', '--wait', 'working', '--timeout', '60']);
      await bed.press('api', 'Escape');
      const { code, json } = await asking;
      expect([code, json.delivery.state]).toEqual([12, 'submitted']);
      expect(json.delivery.reason).toMatch(/^interrupted/);
    });
  },
);
