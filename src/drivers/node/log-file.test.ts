import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { logFile } from './log-file.ts';

describe('logFile', () => {
  it('never fails who speaks, and says how much could not be written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mam-l-'));
    const path = join(folder, 'logs/monitor.log');
    const log = logFile(path, systemClock);
    log.warn('first');
    rmSync(path);
    mkdirSync(path);
    log.warn('second');
    log.warn('third');
    rmSync(path, { recursive: true });
    log.warn('fourth', { evidence: ['x'] });
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\S+Z \(2 lines before this one could not be written\) fourth \{"evidence":\["x"\]\}\n$/,
    );
    rmSync(folder, { recursive: true });
  });

  it('keeps what others said on its line, and shows terminal controls', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mam-l-'));
    const path = join(folder, 'monitor.log');
    logFile(path, systemClock).warn('said: \x1b]0;PWNED\x07\n2026 forged \x9b2J');
    expect(readFileSync(path, 'utf8')).toMatch(
      /Z said: \\x1b\]0;PWNED\\x07\\x0a2026 forged \\x9b2J\n$/,
    );
    rmSync(folder, { recursive: true });
  });
});
