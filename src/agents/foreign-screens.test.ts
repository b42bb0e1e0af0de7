import { describe, expect, it } from 'vitest';
import { capturedAgents, capturesOf, readGolden } from '../../test/support/golden-screens.ts';
import { agentAdapters } from './index.ts';

const kinds = Object.keys(agentAdapters) as (keyof typeof agentAdapters)[];

/** A screen of another program says nothing, whatever an adapter looks for. */
describe.each(capturedAgents())('captures of %s', (of) => {
  const captures = [...capturesOf(of).values()].flat();

  describe.each(kinds.filter((kind) => kind !== of))('are unknown to %s', (by) => {
    it.each(captures)('%s', (capture) => {
      const read = agentAdapters[by].readScreen(readGolden(capture).screen);
      expect(read.state).toBe('unknown');
      expect(read.dialog).toBeUndefined();
    });
  });
});
