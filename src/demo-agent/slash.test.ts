import { describe, expect, it } from 'vitest';
import { parseSlash } from './slash.ts';

describe('parseSlash', () => {
  it.each([
    ['/clear', { name: '/clear', args: '' }],
    ['/model small now', { name: '/model', args: 'small now' }],
    ['/no-such:thing2 x', { name: '/no-such:thing2', args: 'x' }],
    ['/foo\nbar', { name: '/foo', args: 'bar' }],
  ])('reads %j as a command', (text, command) => expect(parseSlash(text)).toEqual(command));

  it.each(['/etc/hosts looks wrong', ' /clear', '/', '//x', '/Clear', '/2', 'say /clear', ''])(
    'reads %j as text',
    (text) => expect(parseSlash(text)).toBeUndefined(),
  );
});
