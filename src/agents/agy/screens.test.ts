import { describe, expect, it } from 'vitest';
import {
  capturesOf,
  composerRow,
  meaningOf,
  readGolden,
} from '../../../test/support/golden-screens.ts';
import { readScreen } from './screen.ts';

/**
 * What the stand-in draws in the wording of the version that the folder names (the real program cannot be
 * had), `capture-pane -e -p`, 40 rows; the columns stand behind each name. What each means was written down
 * by hand: test/support/stand-ins/agy/scenes*.ts.
 */
describe.each([...capturesOf('agy')])('agy %s', (_, captures) => {
  it.each(captures)('%s', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen(screen);
    expect(meaningOf(read)).toEqual(meaning);
    if (read.composer) expect(composerRow(screen, read)).toMatch(/^[>!]/);
  });
});
