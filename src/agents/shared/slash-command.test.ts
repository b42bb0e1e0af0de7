import { describe, expect, it } from 'vitest';
import { isSlashCommand } from './slash-command.ts';

const WORD = /^\/[a-z][a-z0-9:-]*$/;

describe('isSlashCommand', () => {
  it.each(['/clear', '/clear\n', '/model small now', '/no-such:one'])('is true for %j', (text) =>
    expect(isSlashCommand(text, WORD)).toBe(true),
  );
  it.each([
    '/etc/hosts looks wrong',
    ' /clear',
    '/',
    '/Clear',
    '/clear\nnow',
    `/say ${'x'.repeat(200)}`,
    'clear',
    '',
  ])('is false for %j', (text) => expect(isSlashCommand(text, WORD)).toBe(false));
});
