import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  'a permission question of the real Claude Code %s',
  (version) => {
    it('is answered at once each time, though a fresh dialog takes no key', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.create('api');
      for (const round of [1, 2, 3, 4, 5, 6]) {
        const made = join(bed.cwd, `made-${round}`);
        await bed.ok(['send', 'api', `please [[bash touch ${made}]] [[say done]]`]);
        await bed.reaches('api', 'awaiting-approval');
        const { json } = await bed.ok(['answer', 'api', 'yes', '--json']);
        expect(json.answered).toBe('Yes');
        await bed.reaches('api', 'idle');
        expect(existsSync(made)).toBe(true);
      }
    });
  },
);
