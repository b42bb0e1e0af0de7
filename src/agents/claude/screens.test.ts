import { describe, expect, it } from 'vitest';
import {
  capturesOf,
  composerRow,
  meaningOf,
  readGolden,
} from '../../../test/support/golden-screens.ts';
import { readScreen } from './screen.ts';

/**
 * Real captures, `capture-pane -e -p` at 140 x 40 unless the name says otherwise, made with the version
 * that the folder names: 2.1.332 and 2.1.197 without the alternate screen, as we start them.
 */
describe.each([...capturesOf('claude')])('Claude Code %s', (_, captures) => {
  it.each(captures)('%s', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen(screen);
    expect(meaningOf(read)).toEqual(meaning);
    if (read.composer) expect(composerRow(screen, read)).toMatch(/^\S\u00a0/);
  });
});
