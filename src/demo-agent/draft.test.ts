import { describe, expect, it } from 'vitest';
import { Draft } from './draft.ts';

const newDraft = () => new Draft({ slashMenu: false });

describe('Draft', () => {
  it('shows a paste whole up to 800 characters and 3 lines', () => {
    const draft = newDraft();
    draft.paste(`${'x'.repeat(796)}\ny\nz`);
    expect(draft.shown).toBe(draft.text);
  });

  it('folds a paste of more than 3 lines and counts newlines and pastes', () => {
    const draft = newDraft();
    draft.type('see ');
    draft.paste('a\nb\nc\nd');
    draft.paste('a\n\n\n');
    expect(draft.shown).toBe('see [Pasted text #1 +3 lines][Pasted text #2 +3 lines]');
    expect(draft.text).toBe('see a\nb\nc\nda\n\n\n');
  });

  it('folds a paste of more than 800 characters without newlines', () => {
    const draft = newDraft();
    draft.paste('x'.repeat(801));
    expect(draft.shown).toBe('[Pasted text #1]');
    draft.clear();
    draft.paste('y'.repeat(801));
    expect(draft.shown).toBe('[Pasted text #2]');
  });

  it('does not fold what is typed', () => {
    const draft = newDraft();
    draft.type('x'.repeat(900));
    expect(draft.shown).toBe('x'.repeat(900));
  });

  it('switches to shell mode at a first `!`, typed or pasted, and only there', () => {
    for (const enter of ['type', 'paste'] as const) {
      const draft = newDraft();
      draft[enter]('!ls');
      expect([draft.mode, draft.text]).toEqual(['shell', 'ls']);
    }
    const draft = newDraft();
    draft.paste(' !ls');
    expect([draft.mode, draft.text]).toEqual(['prompt', ' !ls']);
    draft.type('!');
    expect([draft.mode, draft.text]).toEqual(['prompt', ' !ls!']);
  });

  it('erases characters, an emoji or a folded paste as a whole, the shell sign last', () => {
    const draft = newDraft();
    draft.type('!a🙂');
    draft.erase();
    expect(draft.text).toBe('a');
    draft.erase();
    expect([draft.mode, draft.empty]).toEqual(['shell', false]);
    draft.erase();
    expect([draft.mode, draft.empty]).toEqual(['prompt', true]);
    draft.type('x');
    draft.paste('1\n2\n3\n4');
    draft.erase();
    expect(draft.text).toBe('x');
  });
});
