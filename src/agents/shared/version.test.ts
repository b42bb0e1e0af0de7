import { describe, expect, it } from 'vitest';
import { judgePackageVersion, judgePrintedVersion, packageFile } from './version.ts';

const rule = { oldest: '2.1.197', fix: 'update' };
const older = { ok: false, code: 'agent.version', needed: '2.1.197 or newer', fix: 'update' };

describe('the version of a program', () => {
  it.each([
    ['2.1.197 (Claude Code)', { ok: true, found: '2.1.197' }],
    ['v10.0.0\n', { ok: true, found: '10.0.0' }],
    ['2.1.99', { ...older, found: '2.1.99' }],
    ['command not found', { ...older, found: 'no version' }],
  ])('is judged by what it prints: %j', (printed, verdict) => {
    expect(judgePrintedVersion(printed, rule)).toEqual(verdict);
  });

  it.each([
    ['{"version":"3.0.0"}', { ok: true, found: '3.0.0' }],
    ['{"version":"2.1.20"}', { ...older, found: '2.1.20' }],
    ['{"version":3}', { ok: true, found: 'version unknown' }],
    ['no JSON', { ok: true, found: 'version unknown' }],
    [undefined, { ok: true, found: 'version unknown' }],
  ])('is judged by its package: %j', (text, verdict) => {
    expect(judgePackageVersion(text, rule)).toEqual(verdict);
  });

  it('stands in the package that its program lies in', () => {
    expect(packageFile('/n/lib/node_modules/cline/bin/cline')).toBe(
      '/n/lib/node_modules/cline/package.json',
    );
  });
});
