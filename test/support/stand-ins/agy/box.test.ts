import { describe, expect, it } from 'vitest';
import type { InputEvent } from '../../../../src/demo-agent/input-parser.ts';
import { BoxKeys } from './box-keys.ts';
import { Draft } from './draft.ts';

function boxOf(pasteSettleMs = 700) {
  const draft = new Draft();
  const keys = new BoxKeys(draft, pasteSettleMs);
  const press = (event: InputEvent, nowMs = 0, isBusy = false) => keys.press(event, isBusy, nowMs);
  const type = (text: string) => press({ kind: 'text', text });
  const enter = (pasteAgoMs = Number.POSITIVE_INFINITY) =>
    press({ kind: 'enter', burst: false, pasteAgoMs });
  return {
    draft,
    keys,
    press,
    type,
    enter,
    paste: (text: string) => press({ kind: 'paste', text }),
  };
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).join('\n');

describe('the draft', () => {
  it('folds 16 lines, or one of more than 1,000 characters, and counts over the session', () => {
    const { draft, paste } = boxOf();
    paste(lines(15));
    expect(draft.shown).toBe(lines(15));
    draft.clear();
    paste(lines(16));
    expect(draft.shown).toBe('[Pasted text #1 +15 lines]');
    draft.clear();
    paste('x'.repeat(1_000));
    expect(draft.shown).toBe('x'.repeat(1_000));
    draft.clear();
    paste('x'.repeat(1_001));
    expect([draft.shown, draft.text.length]).toEqual(['[Pasted text #2 1001 chars]', 1_001]);
  });

  it('begins a row behind a placeholder, and appends to anything else', () => {
    const { draft, paste } = boxOf();
    paste('a');
    paste('b');
    expect(draft.shown).toBe('ab');
    draft.clear();
    paste(lines(16));
    paste('more');
    expect(draft.shown).toBe('[Pasted text #1 +15 lines]\nmore');
  });

  it('is cleared one row at a time', () => {
    const { draft, paste, press } = boxOf();
    paste('one\ntwo');
    press({ kind: 'clear-draft' });
    expect(draft.text).toBe('one\n');
    press({ kind: 'clear-draft' });
    expect(draft.text).toBe('one\n');
    press({ kind: 'backspace' });
    press({ kind: 'clear-draft' });
    expect(draft.empty).toBe(true);
  });
});

describe('Enter', () => {
  it('is a line break for 0.7 s after a paste, then it submits', () => {
    const { draft, paste, enter } = boxOf();
    paste('hello');
    expect(enter(699)).toBeUndefined();
    expect(draft.text).toBe('hello\n');
    expect(enter(700)).toEqual({ kind: 'submit' });
  });

  it('does nothing in an empty box', () => {
    expect(boxOf().enter()).toBeUndefined();
  });
});

describe('a first character', () => {
  it('opens bash mode, the commands and the shortcuts only when it is typed', () => {
    const bash = boxOf();
    bash.type('!ls');
    expect([bash.draft.isShell, bash.draft.text]).toEqual([true, 'ls']);
    expect(boxOf().type('?')).toEqual({ kind: 'shortcuts' });
    const slash = boxOf();
    slash.type('/ex');
    expect(slash.keys.popup?.names).toEqual(['/exit']);
    for (const sign of ['!', '?', '/exit']) {
      const { draft, keys, paste, enter } = boxOf();
      paste(sign);
      expect([draft.isShell, keys.popup, draft.text]).toEqual([false, undefined, sign]);
      expect(enter()).toEqual({ kind: 'submit' });
    }
  });

  it('is left by a Backspace', () => {
    const { draft, type, press } = boxOf();
    type('!');
    press({ kind: 'backspace' });
    expect(draft.isShell).toBe(false);
  });
});

describe('the popup', () => {
  it('gives Enter to the marked command, and takes a paste behind the slash', () => {
    const { type, enter, press, paste, draft, keys } = boxOf();
    type('/c');
    press({ kind: 'down' });
    expect(enter()).toEqual({ kind: 'command', name: '/config' });
    type('/');
    paste('etc');
    expect([draft.text, keys.popup]).toEqual(['/etc', undefined]);
  });
});

describe('the end', () => {
  it('takes two of C-c or C-d in an empty box, within two seconds', () => {
    const { press, keys } = boxOf();
    expect(press({ kind: 'interrupt' }, 1_000)).toBeUndefined();
    expect([keys.isArmed(2_999), keys.isArmed(3_000)]).toEqual([true, false]);
    expect(press({ kind: 'interrupt' }, 3_000)).toBeUndefined();
    expect(press({ kind: 'end-of-input' }, 3_100)).toEqual({ kind: 'leave' });
  });

  it('is not armed while it works, where C-c interrupts', () => {
    expect(boxOf().press({ kind: 'interrupt' }, 0, true)).toEqual({ kind: 'interrupt' });
  });

  it('does not come by Esc, which twice empties the box', () => {
    const { press, type, draft } = boxOf();
    type('hello');
    press({ kind: 'escape' });
    expect(draft.text).toBe('hello');
    press({ kind: 'escape' });
    expect(draft.empty).toBe(true);
  });
});
