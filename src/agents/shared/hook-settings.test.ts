import { describe, expect, it } from 'vitest';
import { hookEntries } from './hook-settings.ts';

describe('hookEntries', () => {
  it('runs the script with the event, its path quoted for sh', () => {
    expect(hookEntries("/it's here/hook", ['Stop'])).toEqual({
      Stop: [{ hooks: [{ type: 'command', command: "sh '/it'\\''s here/hook' Stop" }] }],
    });
  });
});
