import { describe, expect, it } from 'vitest';
import { ANSWERED } from '../support/real-agents/agent-bed.ts';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  "a key's limit at the real Claude Code %s",
  (version) => {
    it('ends the wait for an answer, and is over when the next prompt may be tried', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.create('api');
      const limited = await bed.mam(['send', 'api', 'go [[limit key]]', ...ANSWERED]);
      expect(limited.json.delivery.reason).toMatch(/^limit: /);
      expect([limited.code, limited.json.delivery.state]).toEqual([9, 'submitted']);
      // It tells no end: the screen without a note of it says that the next prompt may be tried.
      await bed.reaches('api', 'idle');
      const next = await bed.ask('api', 'hello [[say back]]');
      expect(next.json.delivery).toMatchObject({ state: 'answered', answer: 'back' });
    });
  },
);

describe("a subscription's limit at the real Claude Code", () => {
  it.each([
    ['2.1.332', { state: 'limited', until: expect.stringMatching(/^20\d\d-/) }],
    // It opens a menu, and its file says the time of day only.
    ['2.1.197', { state: 'awaiting-answer', detail: 'limit', until: null }],
  ] as const)('%s: until when is known as far as it says', async (version, expected) => {
    await using bed = await ClaudeBed.open(version);
    Reflect.deleteProperty(bed.env, 'ANTHROPIC_API_KEY');
    bed.env.CLAUDE_CODE_OAUTH_TOKEN = 'sk-ant-oat01-dummy';
    await bed.create('api');
    await bed.mam(['send', 'api', 'go [[limit 5h]]', '--wait', 'answered', '--timeout', '100']);
    await bed.reaches('api', expected.state);
    expect((await bed.session('api')).activity).toMatchObject(expected);
  });
});
