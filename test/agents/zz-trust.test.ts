import { expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';
it('trust', async () => {
  let bad = 0;
  const N = 14;
  for (let i = 0; i < N; i++) {
    await using bed = await ClaudeBed.open('2.1.332');
    const r = await bed.mam(['create', 'api', '--agent', 'claude', '--role', 'creator', '--json']);
    if (r.code !== 0) { bad++; console.log(r.stdout.slice(0, 1500)); }
  }
  console.log('BAD', bad, 'of', N);
}, 600000);
