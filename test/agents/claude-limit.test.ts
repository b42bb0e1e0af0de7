import { describe, expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  "a key's limit at the real Claude Code %s",
  (version) => {
    it('ends the wait for an answer, and is over when the next prompt may be tried', async () => {
      await using bed = await ClaudeBed.open(version);
      await bed.ok(['create', 'api', '--agent', 'claude', '--role', 'creator', '--json']);
      const wait = ['--wait', 'answered', '--timeout', '100', '--json'];
      const limited = await bed.mam(['send', 'api', 'go [[limit key]]', ...wait]);
      expect(limited.json.delivery.reason).toMatch(/^limit: /);
      expect([limited.code, limited.json.delivery.state]).toEqual([9, 'submitted']);
      // It tells no end: the screen without a note of it says that the next prompt may be tried.
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '30']);
      const next = await bed.ok(['send', 'api', 'hello [[say back]]', ...wait]);
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
    await bed.ok(['create', 'api', '--agent', 'claude', '--role', 'creator']);
    await bed.mam(['send', 'api', 'go [[limit 5h]]', '--wait', 'answered', '--timeout', '100']);
    await bed.ok(['status', 'api', '--wait', expected.state, '--timeout', '30']);
    expect((await bed.session('api')).activity).toMatchObject(expected);
  });
});
