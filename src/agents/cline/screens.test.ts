import { describe, expect, it } from 'vitest';
import {
  capturesOf,
  composerRow,
  meaningOf,
  readGolden,
} from '../../../test/support/golden-screens.ts';
import { readScreen } from './screen.ts';

/**
 * Real captures of the version that the folder names, `capture-pane -e -p` at 140 x 40, 60 x 20 for the
 * narrow ones; those that begin with `120-` at 120 x 40, some of them without `-e`.
 */
describe.each([...capturesOf('cline')])('Cline %s', (_, captures) => {
  it.each(captures)('%s', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen(screen);
    expect(meaningOf(read)).toEqual(meaning);
    if (read.composer) expect(composerRow(screen, read)).toMatch(/^ *❯/);
  });
});
