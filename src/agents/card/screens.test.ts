import { describe, expect, it } from 'vitest';
import { cardKinds, shippedCard } from '../../../test/support/every-agent.ts';
import {
  capturesOf,
  composerRow,
  meaningOf,
  readGolden,
} from '../../../test/support/golden-screens.ts';

/** Real captures of the version that the folder names, `capture-pane -e -p` at 140 x 40. */
describe.each(cardKinds)('the card of %s', (kind) => {
  const { readScreen } = shippedCard(kind);
  const captures = [...capturesOf(kind).values()].flat();

  it.each(captures)('%s', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen(screen);
    expect(meaningOf(read)).toEqual(meaning);
    if (read.composer) expect(composerRow(screen, read)).toMatch(/^[›!] /);
  });
});
