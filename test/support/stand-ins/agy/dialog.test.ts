import { describe, expect, it } from 'vitest';
import { type Dialog, stepDialog } from './dialog.ts';
import { commandDialog } from './permission-dialogs.ts';
import { parseQuestion, questionDialog } from './question-dialogs.ts';
import { trustDialog } from './start-dialogs.ts';
import { agyVersion } from './version.ts';
import { wordingOf } from './wording.ts';

const wording = wordingOf(agyVersion());
const text = (dialog: Dialog, typed: string) => stepDialog(dialog, { kind: 'text', text: typed });
const enter = { kind: 'enter', burst: false, pasteAgoMs: 9_999 } as const;

describe('a permission', () => {
  const dialog = commandDialog('ls', wording);

  it('takes a digit at once, Enter for the marked one, and nothing else', () => {
    expect(text(dialog, '4')).toMatchObject({ kind: 'picked', index: 3 });
    expect(stepDialog(dialog, enter)).toMatchObject({ kind: 'picked', index: 0 });
    for (const typed of ['y', '5', '0', 'hello']) expect(text(dialog, typed)).toBeUndefined();
    expect(stepDialog(dialog, { kind: 'escape' })).toEqual({ kind: 'cancelled' });
  });

  it('swallows a paste', () => {
    expect(stepDialog(dialog, { kind: 'paste', text: '1' })).toBeUndefined();
  });

  it('says in each version what was recorded of it', () => {
    const said = (version: string) => {
      const { options, heading } = commandDialog('ls', wordingOf(agyVersion(version)));
      return [heading(80).at(-1), options[0], options.at(-1)];
    };
    expect(said('1.0')).toEqual(['Do you want to proceed?', 'Yes', 'No']);
    expect(said('1.1')).toEqual(['Do you want to proceed?', 'Yes', 'No']);
    expect(said('1.2')).toEqual(['Run this command?', 'Yes, run command', 'No, cancel']);
    expect(said('1.3')).toEqual(['Run this command?', 'Yes, run command', 'No, cancel']);
  });

  it('cuts a command of more than five rows', () => {
    const heading = commandDialog('word '.repeat(100), wording).heading(60);
    const rows = heading.filter((row) => row.startsWith('   '));
    expect([rows.length, rows.at(-1)]).toEqual([5, '   …']);
  });
});

describe('trust', () => {
  it('takes neither digits nor y', () => {
    for (const typed of ['1', '2', 'y']) expect(text(trustDialog('/w'), typed)).toBeUndefined();
    const moved = stepDialog(trustDialog('/w'), { kind: 'down' });
    expect(moved).toMatchObject({ kind: 'changed', dialog: { marked: 1 } });
  });
});

describe('several answers', () => {
  it('are ticked by Space, and a digit picks none', () => {
    const dialog = questionDialog([parseQuestion('Which?|a|b', true)], 0, wording);
    expect(text(dialog, '1')).toBeUndefined();
    expect(text(dialog, ' ')).toMatchObject({ kind: 'changed', dialog: { ticked: [0] } });
  });
});
