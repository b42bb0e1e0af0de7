import { describe, expect, it } from 'vitest';
import { loginDialog, permissionDialog, questionDialog, stepDialog } from './dialog.ts';

const three = permissionDialog('rm x');

describe('stepDialog', () => {
  it('moves the mark round', () => {
    expect(stepDialog(three, { kind: 'down' })).toEqual({ kind: 'moved', marked: 1 });
    expect(stepDialog(three, { kind: 'up' })).toEqual({ kind: 'moved', marked: 2 });
    expect(stepDialog({ ...three, marked: 2 }, { kind: 'down' })).toEqual({
      kind: 'moved',
      marked: 0,
    });
  });

  it('takes the marked option on Enter, none on Escape', () => {
    const enter = { kind: 'enter', burst: true, pasteAgoMs: 0 } as const;
    expect(stepDialog({ ...three, marked: 1 }, enter)).toEqual({ kind: 'picked', index: 1 });
    expect(stepDialog(three, { kind: 'escape' })).toEqual({ kind: 'cancelled' });
  });

  it('is answered by a digit in text that was meant for the composer', () => {
    expect(stepDialog(three, { kind: 'paste', text: '1 more thing' })).toEqual({
      kind: 'picked',
      index: 0,
    });
    expect(stepDialog(three, { kind: 'text', text: 'take 9 or 3' })).toEqual({
      kind: 'picked',
      index: 2,
    });
    expect(
      stepDialog(questionDialog('?', ['A']), { kind: 'text', text: 'hello 2' }),
    ).toBeUndefined();
  });

  it('cannot be answered without options', () => {
    const enter = { kind: 'enter', burst: false, pasteAgoMs: 0 } as const;
    expect(stepDialog(loginDialog(), enter)).toBeUndefined();
    expect(stepDialog(loginDialog(), { kind: 'down' })).toBeUndefined();
  });
});
