import { describe, expect, it } from 'vitest';
import { plainScreen } from '../../src/domain/screen.ts';
import { everyAgent as adapters } from '../support/every-agent.ts';
import { capturedAgents, capturesOf, readGolden } from '../support/golden-screens.ts';

const isBusy = (capture: string) => /\/(?:\d+-)?(?:busy|working)-/.test(capture);

describe.each(capturedAgents())('BL-24 the busy text of %s changed with the version', (agent) => {
  const captures = [...capturesOf(agent)];

  it.each(captures.flatMap(([, each]) => each.filter(isBusy)))(
    'is at work, or not known, but never idle: %s',
    (capture) => {
      const read = adapters[agent]?.readScreen(readGolden(capture).screen);
      expect(['working', 'unknown', 'limited']).toContain(read?.state);
    },
  );

  // One capture of a window that keeps no history is of that form alone.
  it.each(captures.filter(([version]) => !version.endsWith('alternate-screen')))(
    'is known from captures of %s',
    (_, each) => {
      expect(each.filter(isBusy)).not.toEqual([]);
    },
  );

  it('leaves at most one capture in ten unknown, those of an overlay aside', () => {
    const all = captures.flatMap(([, each]) => each);
    const unknown = all.filter((capture) => {
      const read = adapters[agent]?.readScreen(readGolden(capture).screen);
      return read?.state === 'unknown' && read.detail !== 'overlay';
    });
    expect(unknown.length / all.length).toBeLessThanOrEqual(0.1);
  });
});

describe('BL-24 an unfamiliar picture', () => {
  it.each(Object.keys(adapters))('is not idle to %s', (agent) => {
    const pictures = [
      '',
      '$ ',
      '┌────┐\n│ ?? │\n└────┘',
      `${'─'.repeat(140)}\nA new kind of screen\n${'─'.repeat(140)}`,
      'say esc to interrupt',
      '(ctrl+o to expand) (main) 12:30',
    ];
    for (const picture of pictures) {
      expect(adapters[agent]?.readScreen(plainScreen(picture)).state, picture).not.toBe('idle');
    }
  });
});
