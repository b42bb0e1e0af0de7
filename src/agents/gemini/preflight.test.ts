import { describe, expect, it } from 'vitest';
import type { PreflightRequest, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { preflight } from './preflight.ts';

const request: PreflightRequest = {
  permissions: 'ask',
  uid: 1000,
  env: { HOME: '/home/user' },
  cwd: '/home/user/project',
  binary: '/opt/node_modules/@google/gemini-cli/bundle/gemini.js',
};

function judge(
  id: string,
  texts: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): ProbeVerdict {
  const asked = { ...request, env: { ...request.env, ...env } };
  const probe = preflight(asked).find((each) => each.id === id);
  if (probe === undefined || !('judgeFiles' in probe)) throw new Error(`${id} reads no files`);
  return probe.judgeFiles(probe.files.map((path) => texts[path]));
}

const SETTINGS = '/home/user/.gemini/settings.json';
const chosen = '{"security":{"auth":{"selectedType":"oauth-personal"}}}';

describe('auth', () => {
  it('is a way that was chosen, of the user or of the project, or a key', () => {
    expect(judge('auth', { [SETTINGS]: chosen })).toEqual({
      ok: true,
      found: 'logs in by oauth-personal',
    });
    expect(judge('auth', { '/home/user/project/.gemini/settings.json': chosen }).ok).toBe(true);
    expect(judge('auth', {}, { GEMINI_API_KEY: 'k' }).ok).toBe(true);
    expect(judge('auth', { '/home/user/.gemini/.env': 'GEMINI_API_KEY=k' }).ok).toBe(true);
  });

  it('is missing without any of them', () => {
    expect(judge('auth', {})).toMatchObject({ ok: false, code: 'agent.logged-out' });
    expect(judge('auth', { [SETTINGS]: '{"ui":{}}' })).toMatchObject({ ok: false });
  });

  it('is not decided by settings that cannot be read', () => {
    expect(judge('auth', { [SETTINGS]: '{ // with a comment\n}' }).ok).toBe(true);
  });
});

describe('version', () => {
  const file = '/opt/node_modules/@google/gemini-cli/package.json';

  it('is that of the package around the program', () => {
    expect(judge('version', { [file]: '{"version":"0.61.0"}' })).toEqual({
      ok: true,
      found: '0.61.0',
    });
    expect(judge('version', { [file]: '{"version":"0.9.1"}' })).toMatchObject({
      code: 'agent.version',
    });
    expect(judge('version', {}).ok).toBe(true);
  });
});

describe('retention', () => {
  it('says what the program deletes by itself', () => {
    expect(judge('retention', {}).found).toContain('30d');
    const off = '{"general":{"sessionRetention":{"enabled":false}}}';
    expect(judge('retention', { [SETTINGS]: off }).found).toMatch(/^off/);
  });
});

it('runs no program, and asks only for the login at a create', () => {
  const probes = preflight(request);
  expect(probes.filter((probe) => 'args' in probe)).toEqual([]);
  const fast = probes.filter((probe) => 'level' in probe && probe.level === 'fast');
  expect(fast.map(({ id }) => id)).toEqual(['auth']);
});
