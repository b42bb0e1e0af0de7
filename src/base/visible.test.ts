import { describe, expect, it } from 'vitest';
import { visible } from './visible.ts';

describe('visible', () => {
  it('shows terminal controls instead of obeying them, and keeps lines, tabs and letters', () => {
    expect(visible('a\x1b]0;title\x07b\x9b2J\r')).toBe('a\\x1b]0;title\\x07b\\x9b2J\\x0d');
    expect(visible('日本 é\tx\ny 🙂')).toBe('日本 é\tx\ny 🙂');
  });
});
