import { describe, expect, it } from 'vitest';
import { parseScreenRows } from '../../domain/screen.ts';
import { withoutGhost } from './ghost-text.ts';

const text = (captured: string) => parseScreenRows(captured).map(withoutGhost);

describe('withoutGhost', () => {
  it('removes a dim suggestion and the cursor cell in front of it', () => {
    expect(text('❯\u00a0\x1b[7mR\x1b[0;2mesend your message\x1b[0m')).toEqual(['❯\u00a0']);
  });

  it('removes a suggestion behind typed text', () => {
    expect(text('❯\u00a0/cle\x1b[7ma\x1b[0;2mr\x1b[0m')).toEqual(['❯\u00a0/cle']);
  });

  it('keeps a cursor cell on typed text', () => {
    expect(text('❯\u00a0ab\x1b[7mc\x1b[0md')).toEqual(['❯\u00a0abcd']);
    expect(text('❯\u00a0ab\x1b[7m \x1b[0m')).toEqual(['❯\u00a0ab ']);
  });

  it('keeps coloured text', () => {
    expect(text('\x1b[38;5;2m❯\u00a0hi\x1b[39m')).toEqual(['❯\u00a0hi']);
  });
});
