import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderMapping, type YamlValue } from './yaml-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((value) => value.toWellFormed()),
  fc.constantFrom(
    'no',
    'yes',
    'null',
    '~',
    '0123',
    '1e3',
    '- a',
    '# x',
    'a: b',
    ' lead',
    'trail ',
    '',
    '"',
    "'",
  ),
  fc.constantFrom(
    'a\nb',
    '  a\n b',
    'a\n\nb',
    'a\nb\n',
    '\na',
    'a\r\nb',
    '\ttab\nx',
    '| x\n> y',
    '\u2028',
    '\u0085',
  ),
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.letrec<{ node: YamlValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    scalar as fc.Arbitrary<YamlValue>,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(text, tie('node'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).node;

describe('renderMapping', () => {
  it('is read back by a YAML parser as the same data, in every version of YAML', () => {
    const records = fc.dictionary(
      text.filter((key) => key !== '<<'),
      value,
      { maxKeys: 4, noNullPrototype: true },
    );
    fc.assert(
      fc.property(records, (record) => {
        fc.pre(!JSON.stringify(record).includes('"<<"'));
        const rendered = renderMapping(record, 0) || '{}';
        for (const version of ['1.1', '1.2'] as const)
          expect(parse(rendered, { version })).toEqual(record);
      }),
      { numRuns: 500 },
    );
  });

  it('writes a screen as a block that a person can read', () => {
    expect(renderMapping({ screen: '  first\nsecond' }, 2)).toBe(
      '  screen: |2-\n      first\n    second\n',
    );
  });

  it('quotes what a parser would not take for text', () => {
    expect(renderMapping({ no: '0123', 'a b': 'on' }, 0)).toBe('"no": "0123"\n"a b": "on"\n');
  });
});
