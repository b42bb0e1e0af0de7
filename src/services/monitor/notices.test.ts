import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { defaultSettings } from '../../domain/settings.ts';
import type { NoticeJson, Notifier } from '../../ports/notifier.ts';
import { Notices } from './notices.ts';

const told: string[] = [];
const quick: Notifier = { tell: async ({ message }: NoticeJson) => void told.push(message) };
const hanging: Notifier = { tell: () => new Promise(() => undefined) };
const failing: Notifier = { tell: () => Promise.reject(new Error('no answer')) };

function notices(ways: readonly Notifier[], errors: unknown[] = []) {
  told.length = 0;
  const context = {
    workspace: { root: '/ws', stateFolder: '/ws/.mam', id: 'w', host: 'h', isOurs: true },
    settings: defaultSettings,
    clock: new ManualClock(),
    signal: new AbortController().signal,
  };
  return new Notices(context, ways, (error) => void errors.push(error));
}

describe('notices', () => {
  it('go by each way on its own: one that hangs holds up no other', async () => {
    const to = notices([hanging, quick]);
    for (const message of ['a', 'b', 'c']) to.add('exited', undefined, message);
    await expect.poll(() => told).toEqual(['a', 'b', 'c']);
    expect(to.waiting).toBe(3);
  });

  it('that cannot be told are errors, and the next ones are told', async () => {
    const errors: unknown[] = [];
    const to = notices([failing, quick], errors);
    to.add('exited', undefined, 'a');
    to.add('exited', undefined, 'b');
    await to.end();
    expect(errors.map(String)).toEqual(['Error: no answer', 'Error: no answer']);
    expect(told).toEqual(['a', 'b']);
  });

  it('are dropped, and that is said, when more wait than are kept', () => {
    const errors: unknown[] = [];
    const to = notices([hanging], errors);
    for (let i = 0; i < 101; i++) to.add('exited', undefined, `${i}`);
    expect(to.waiting).toBe(100);
    expect(String(errors[0])).toContain('Notices are dropped');
  });

  it('are not wanted without a way', () => {
    expect([notices([]).isWanted, notices([quick]).isWanted]).toEqual([false, true]);
  });
});
