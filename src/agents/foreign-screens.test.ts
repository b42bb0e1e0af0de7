import { describe, expect, it } from 'vitest';
import { everyAgent } from '../../test/support/every-agent.ts';
import { capturedAgents, capturesOf, readGolden } from '../../test/support/golden-screens.ts';

const kinds = Object.keys(everyAgent);

/** A screen of another program says nothing, whatever an adapter looks for. */
describe.each(capturedAgents())('captures of %s', (of) => {
  const captures = [...capturesOf(of).values()].flat();

  describe.each(kinds.filter((kind) => kind !== of))('are unknown to %s', (by) => {
    it.each(captures)('%s', (capture) => {
      const read = everyAgent[by]?.readScreen(readGolden(capture).screen);
      expect(read?.state).toBe('unknown');
      expect(read?.dialog).toBeUndefined();
    });
  });
});
