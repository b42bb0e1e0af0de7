import { describe, expect, it } from 'vitest';
import { ComposerKeys, type ComposerKeysOptions } from './composer-keys.ts';
import { Draft } from './draft.ts';
import type { InputEvent } from './input-parser.ts';

const plain: ComposerKeysOptions = {
  absorbMs: 0,
  absorbCount: Infinity,
  vanishOnce: false,
  eatCommand: false,
};
const enter = (pasteAgoMs: number, burst = false): InputEvent => ({
  kind: 'enter',
  burst,
  pasteAgoMs,
});

function composer(options: Partial<ComposerKeysOptions> & { slashMenu?: boolean } = {}) {
  const draft = new Draft({ slashMenu: options.slashMenu ?? false });
  const keys = new ComposerKeys(draft, { ...plain, ...options });
  return { draft, keys, press: (event: InputEvent) => keys.press(event, false) };
}

describe('ComposerKeys', () => {
  it('submits on an Enter that comes apart from the paste', () => {
    const { draft, press } = composer();
    press({ kind: 'paste', text: 'hi' });
    expect(press(enter(0))).toBe('submit');
    expect(draft.text).toBe('hi');
  });

  it('absorbs an Enter of the same read as a newline', () => {
    const { draft, press } = composer();
    press({ kind: 'paste', text: 'hi' });
    expect(press(enter(0, true))).toBeUndefined();
    expect(draft.text).toBe('hi\n');
    expect(press(enter(90))).toBe('submit');
  });

  it('absorbs an Enter that comes too soon, and no later one', () => {
    const { draft, press } = composer({ absorbMs: 200 });
    press({ kind: 'paste', text: 'hi' });
    expect(press(enter(199))).toBeUndefined();
    expect(draft.text).toBe('hi\n');
    expect(press(enter(200))).toBe('submit');
  });

  it('absorbs at most the number of times given', () => {
    const { press } = composer({ absorbMs: 60_000, absorbCount: 1 });
    press({ kind: 'paste', text: 'hi' });
    expect(press(enter(1))).toBeUndefined();
    expect(press(enter(2))).toBe('submit');
  });

  it('does not absorb what was typed without a paste', () => {
    const { press } = composer({ absorbMs: 60_000 });
    press({ kind: 'text', text: '/clear' });
    expect(press(enter(Infinity))).toBe('submit');
  });

  it('lets the first paste vanish, and no other', () => {
    const { draft, press } = composer({ vanishOnce: true });
    press({ kind: 'paste', text: 'one' });
    expect(draft.empty).toBe(true);
    press({ kind: 'paste', text: 'two' });
    expect(draft.text).toBe('two');
  });

  it('eats the first command without running it, and no other', () => {
    const { draft, press } = composer({ eatCommand: true });
    press({ kind: 'text', text: '/model small' });
    expect(press(enter(Infinity))).toBeUndefined();
    expect(draft.empty).toBe(true);
    press({ kind: 'text', text: '/model small' });
    expect(press(enter(Infinity))).toBe('submit');
  });

  it('opens the menu for a pasted slash text; Enter then clears and submits nothing', () => {
    const { draft, press } = composer({ slashMenu: true });
    press({ kind: 'paste', text: '/clear' });
    expect(draft.menuOpen).toBe(true);
    expect(press(enter(500))).toBeUndefined();
    expect(draft.empty).toBe(true);
    press({ kind: 'text', text: '/clear' });
    expect(press(enter(500))).toBe('submit');
  });

  it('closes the menu on Escape and keeps the draft', () => {
    const { draft, press } = composer({ slashMenu: true });
    press({ kind: 'paste', text: '/clear' });
    press({ kind: 'escape' });
    expect(press(enter(500))).toBe('submit');
    expect(draft.text).toBe('/clear');
  });

  it('asks before C-c quits, and clears a draft instead', () => {
    const { draft, keys, press } = composer();
    press({ kind: 'text', text: 'x' });
    expect(press({ kind: 'interrupt' })).toBeUndefined();
    expect(draft.empty).toBe(true);
    expect(press({ kind: 'interrupt' })).toBe('ask-to-exit');
    expect(keys.exitHint).toBe('Press Ctrl-C again to exit');
    expect(press({ kind: 'interrupt' })).toBe('exit');
  });

  it('forgets a first C-c when another key comes between', () => {
    const { keys, press } = composer();
    press({ kind: 'interrupt' });
    press({ kind: 'text', text: 'x' });
    press({ kind: 'backspace' });
    expect(keys.exitHint).toBeUndefined();
    expect(press({ kind: 'interrupt' })).toBe('ask-to-exit');
    expect(press({ kind: 'end-of-input' })).toBe('ask-to-exit');
    expect(press({ kind: 'end-of-input' })).toBe('exit');
  });

  it('interrupts a running turn on Escape and on C-c', () => {
    const { keys } = composer();
    expect(keys.press({ kind: 'escape' }, true)).toBe('interrupt-turn');
    expect(keys.press({ kind: 'interrupt' }, true)).toBe('interrupt-turn');
    expect(keys.press({ kind: 'escape' }, false)).toBeUndefined();
  });
});
