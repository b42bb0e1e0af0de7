import { describe, expect, it } from 'vitest';
import { plainScreen } from '../../domain/screen.ts';
import { findComposerFrame, isRule, lastFilledRow, rowsBelowLastRule } from './screen-regions.ts';

const rule = '─'.repeat(140);
const row = (text: string) => ({ text, spans: [] });

describe('isRule', () => {
  it('wants a line from column 0 over at least half the width, with or without a label', () => {
    expect(isRule(row(rule), 140)).toBe(true);
    expect(isRule(row(`${'─'.repeat(100)} myjob ─`), 140)).toBe(true);
    expect(isRule(row('─'.repeat(70)), 140)).toBe(true);
  });

  it.each(['', '─'.repeat(69), ` ${rule}`, `● ${rule}`, `${rule} x`, `${'-'.repeat(139)}─`])(
    'is false for %j',
    (text) => expect(isRule(row(text), 140)).toBe(false),
  );
});

describe('findComposerFrame', () => {
  it('takes the last two rules, what is between and what is below', () => {
    const screen = plainScreen(
      [rule, 'old', rule, 'a', 'b', rule, 'foot', 'er', '', ''].join('\n'),
    );
    const frame = findComposerFrame(screen);
    expect([frame?.top, frame?.bottom]).toEqual([2, 5]);
    expect(frame?.inside.map((each) => each.text)).toEqual(['a', 'b']);
    expect(frame?.footer.map((each) => each.text)).toEqual(['foot', 'er']);
  });

  it('finds none with one rule, or with nothing between', () => {
    expect(findComposerFrame(plainScreen(`a\n${rule}\nb`))).toBeUndefined();
    expect(findComposerFrame(plainScreen(`a\n${rule}\n${rule}\nb`))).toBeUndefined();
  });
});

describe('rowsBelowLastRule', () => {
  it('ends at the last filled row', () => {
    const screen = plainScreen(`x\n${rule}\n a\n\n b\n\n \n`);
    expect(rowsBelowLastRule(screen).map((each) => each.text)).toEqual([' a', '', ' b']);
    expect(rowsBelowLastRule(plainScreen('a\nb'))).toEqual([]);
  });
});

describe('lastFilledRow', () => {
  it('is -1 on an empty screen', () => {
    expect(lastFilledRow(plainScreen(' \n\n').rows)).toBe(-1);
    expect(lastFilledRow(plainScreen('a\nb\n\n').rows)).toBe(1);
  });
});
