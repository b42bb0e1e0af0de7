import { describe, expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  'slash commands on the real Claude Code %s',
  (version) => {
    it('are proven by what the screen makes of them, and an overlay is in the way', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.create('api');
      // Hooks of most commands do not exist, and what comes is the answer of Claude itself.
      for (const command of ['/clear', '/context', '/nonsense-command', '/cost']) {
        const { json } = await bed.ok(['send', 'api', command, '--json']);
        expect(json.delivery.state).toBe('submitted');
      }
      // `/cost` stands open in the composer's place.
      const hidden = await bed.mam(['send', 'api', 'hello', '--json']);
      expect(hidden.code).toBe(9);
      expect(hidden.json.delivery).toMatchObject({ state: 'refused' });
      expect(hidden.json.delivery.reason).toMatch(/^overlay/);
      await bed.press('api', 'Escape');
      await bed.reaches('api', 'idle');
      const { json } = await bed.ok(['send', 'api', 'hello', '--wait', 'answered', '--json']);
      expect(json.delivery).toMatchObject({ state: 'answered', evidence: { source: 'hook' } });
    });
  },
);
