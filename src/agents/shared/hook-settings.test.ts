import { describe, expect, it } from 'vitest';
import { hookEntries } from './hook-settings.ts';

describe('hookEntries', () => {
  it('runs the script with the event, its path quoted for sh', () => {
    expect(hookEntries("/it's here/hook", ['Stop'])).toEqual({
      Stop: [{ hooks: [{ type: 'command', command: "sh '/it'\\''s here/hook' Stop" }] }],
    });
  });

  it('gives each hook the time-out asked for', () => {
    const { Stop } = hookEntries('/hook', ['Stop'], { timeoutS: 5 });
    expect(Stop?.[0]?.hooks[0]?.timeout).toBe(5);
  });
});
