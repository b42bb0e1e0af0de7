import { describe, expect, it } from 'vitest';
import { parseMenu } from './menu.ts';

const labels = (rows: readonly string[]) =>
  parseMenu(rows)?.options.map((each) => (each.marked ? `*${each.label}` : each.label));

describe('parseMenu', () => {
  it('reads a numbered menu with descriptions, whichever row is marked', () => {
    const rows = [
      ' Which colour?',
      '',
      '  1. Red',
      '     warm',
      '❯ 2. Blue',
      '     cold',
      '  3. No',
    ];
    expect(labels(rows)).toEqual(['Red', '*Blue', 'No']);
    expect(parseMenu(rows)).toMatchObject({ first: 2, last: 6 });
  });

  it('reads a menu without numbers', () => {
    const rows = ['', ' ❯ No, exit', '   Yes, I trust this folder', '', ' Enter to confirm'];
    expect(labels(rows)).toEqual(['*No, exit', 'Yes, I trust this folder']);
  });

  it('stops at rows in another column and, in a numbered menu, at rows without a number', () => {
    const rows = [
      '   wide title',
      ' Do you want to proceed?',
      ' ❯ 1. Yes',
      '   2. No',
      '   not one',
    ];
    expect(labels(rows)).toEqual(['*Yes', 'No']);
  });

  it('takes the last marked row: an echoed prompt above is none', () => {
    expect(labels(['❯ hello', '', ' ❯ 1. Yes', '   2. No'])).toEqual(['*Yes', 'No']);
  });

  it('finds no menu without a mark', () => {
    expect(parseMenu([' 1. Yes', ' 2. No', '❯\u00a0'])).toBeUndefined();
    expect(parseMenu([])).toBeUndefined();
  });
});
