import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScreenRows } from './screen.ts';

const ESC = '\x1b';

describe('parseScreenRows', () => {
  it('splits a row into runs of one look', () => {
    const [row] = parseScreenRows(`${ESC}[38;5;246mgrey ${ESC}[7mR${ESC}[0;2mest${ESC}[0m plain`);
    expect(row?.text).toBe('grey Rest plain');
    expect(row?.spans).toEqual([
      { text: 'grey ', fg: '38;5;246', dim: false, reverse: false, bg: '' },
      { text: 'R', fg: '38;5;246', dim: false, reverse: true, bg: '' },
      { text: 'est', fg: '', dim: true, reverse: false, bg: '' },
      { text: ' plain', fg: '', dim: false, reverse: false, bg: '' },
    ]);
  });

  it('carries a style across line ends, as tmux prints it', () => {
    const rows = parseScreenRows(`${ESC}[2ma\nb${ESC}[22m\nc`);
    expect(rows.map(({ spans }) => spans[0]?.dim)).toEqual([true, true, false]);
  });

  it('reads true colours and backgrounds without taking their numbers for codes', () => {
    const [row] = parseScreenRows(`${ESC}[48;2;7;2;7;38;2;1;2;3mx`);
    expect(row?.spans).toEqual([
      { text: 'x', fg: '38;2;1;2;3', bg: '48;2;7;2;7', dim: false, reverse: false },
    ]);
  });

  it('reads backgrounds until they are reset', () => {
    const [row] = parseScreenRows(`${ESC}[48;5;235ma${ESC}[49mb${ESC}[44mc${ESC}[0md${ESC}[103me`);
    expect(row?.spans.map(({ bg }) => bg)).toEqual(['48;5;235', '', '44', '', '103']);
  });

  it('leaves out other escapes', () => {
    const [row] = parseScreenRows(`a${ESC}]0;title${ESC}\\b${ESC}(Bc${ESC}[3Cd`);
    expect(row?.text).toBe('abcd');
  });

  it('never throws, and the runs of a row make up its text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(ESC, '[', 'm', '3', ';', ']', '\x07', 'a', '日', '\n'),
    });
    fc.assert(
      fc.property(hostile, (captured) =>
        parseScreenRows(captured).every(
          ({ text, spans }) => spans.map((s) => s.text).join('') === text,
        ),
      ),
    );
  });
});
