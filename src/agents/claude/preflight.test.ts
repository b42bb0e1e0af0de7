import { describe, expect, it } from 'vitest';
import type { PreflightRequest, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { preflight } from './preflight.ts';

const place = { binary: '/usr/bin/claude', cwd: '/home/user/project' };
const request: PreflightRequest = { permissions: 'ask', uid: 1000, env: {}, ...place };

function judge(id: string, stdout: string, asked = request): ProbeVerdict {
  const probe = preflight(asked).find((each) => each.id === id);
  if (probe === undefined) throw new Error(`no probe ${id}`);
  if ('verdict' in probe) return probe.verdict;
  if (!('judge' in probe)) throw new Error(`${id} runs no program`);
  return probe.judge({ exitCode: 0, stdout, stderr: '' });
}

describe('preflight', () => {
  it.each([
    [{ uid: 0, permissions: 'skip', env: {} }, false],
    [{ uid: 0, permissions: 'skip', env: { IS_SANDBOX: 'yes' } }, false],
    [{ uid: 0, permissions: 'skip', env: { IS_SANDBOX: '1' } }, true],
    [{ uid: 0, permissions: 'ask', env: {} }, true],
    [{ uid: 1000, permissions: 'skip', env: {} }, true],
  ] as const)('judges root: %j', (asked, ok) => {
    const verdict = judge('root', '', { ...asked, ...place });
    expect(verdict.ok).toBe(ok);
    if (!verdict.ok) expect(verdict.code).toBe('agent.refuses-root');
  });

  it('asks for the login at every create, for the version only when needed', () => {
    const levels = preflight(request).flatMap((probe) => ('level' in probe ? [probe.level] : []));
    expect(levels).toEqual(['fast', 'full']);
  });

  it('refuses a logged-out Claude, and nothing it cannot read', () => {
    const out = '{ "loggedIn": false, "authMethod": "none" }';
    expect(judge('auth', out)).toMatchObject({ ok: false, code: 'agent.logged-out' });
    expect(judge('auth', '{"loggedIn":true,"authMethod":"api_key"}')).toEqual({
      ok: true,
      found: 'logged in by api_key',
    });
    expect(judge('auth', 'error: unknown command')).toMatchObject({ ok: true });
  });

  it.each([
    ['2.1.332 (Claude Code)\n', true],
    ['2.1.197 (Claude Code)\n', true],
    ['2.1.99 (Claude Code)\n', false],
    ['1.0.400 (Claude Code)\n', false],
    ['10.0.0 (Claude Code)\n', true],
    ['', false],
  ])('judges version %j', (stdout, ok) => {
    expect(judge('version', stdout).ok).toBe(ok);
  });
});
