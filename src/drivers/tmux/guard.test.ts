import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOf, equals, isPane, isSession, lessThan, requireWord } from './guard.ts';

/** What tmux makes of a format, on a server that exists for this call only. */
function expand(format: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mam-g-'));
  const socket = join(folder, 's');
  const list = ['new-session', '-d', 'sleep 5', ';', 'display-message', '-p', format];
  const tmux = ['-S', socket, '-f', '/dev/null', ...list, ';', 'kill-server'];
  const expanded = execFileSync('tmux', tmux, { encoding: 'utf8' }).trim();
  rmSync(folder, { recursive: true });
  return expanded;
}

describe('guard', () => {
  it('is true only when every condition is, however many there are', () => {
    for (let count = 1; count <= 6; count++) {
      for (let wrong = -1; wrong < count; wrong++) {
        const conditions = Array.from({ length: count }, (_, i) => (i === wrong ? '0' : '1'));
        expect(expand(allOf(...conditions)), conditions.join()).toBe(wrong === -1 ? '1' : '0');
      }
    }
  });

  it('compares marks as numbers, an unset one as 0', () => {
    expect(expand(lessThan('@nothing', 1))).toBe('1');
    expect(expand(lessThan('@nothing', 0))).toBe('0');
    expect(expand(lessThan('window_index', 100_000_000_000))).toBe('1');
    expect(() => lessThan('@x', 1.5)).toThrow(TypeError);
    expect(() => lessThan('@x', -1)).toThrow(TypeError);
    expect(() => lessThan('@x', 1e12)).toThrow(TypeError);
  });

  it('compares ids whole', () => {
    expect(expand(isPane('%0'))).toBe('1');
    expect(expand(isPane('%00'))).toBe('0');
    expect(expand(isSession('$0'))).toBe('1');
    expect(expand(equals('pane_id', '%'))).toBe('0');
  });

  it.each(['a b', 'a;b', '#{x}', "'", '', 'a,b', '}', '日本', 'a\nb'])('takes no %j', (word) => {
    expect(() => requireWord(word)).toThrow(TypeError);
  });

  it('needs a condition', () => {
    expect(() => allOf()).toThrow(TypeError);
  });
});
