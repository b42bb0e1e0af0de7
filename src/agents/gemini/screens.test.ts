import { describe, expect, it } from 'vitest';
import {
  capturesOf,
  composerRow,
  meaningOf,
  readGolden,
} from '../../../test/support/golden-screens.ts';
import { readScreen } from './screen.ts';

/**
 * Real captures of the version that the folder names, `capture-pane -e -p` at 140 x 40 with true colour;
 * those that begin with `120-` at 120 x 40, most without `-e` and with hooks of a user's.
 */
describe.each([...capturesOf('gemini')])('Gemini CLI %s', (_, captures) => {
  it.each(captures)('%s', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen(screen);
    expect(meaningOf(read)).toEqual(meaning);
    if (read.composer) expect(composerRow(screen, read)).toMatch(/^ \S/);
  });

  it.each(captures)('%s: no state comes from the title alone', (capture) => {
    const { screen, meaning } = readGolden(capture);
    const read = readScreen({ ...screen, title: '' });
    // The composer without a spinner is idle: one such screen was taken while it worked on.
    const isQuiet = meaning.state === 'working' && read.state === 'idle';
    if (!isQuiet) expect(read.state).toBe(meaning.state);
  });
});
