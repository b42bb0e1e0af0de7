import { describe, expect, it } from 'vitest';
import type { ProbeVerdict } from '../../ports/agent-adapter.ts';
import { preflight } from './preflight.ts';

const PACKAGE = '/opt/node_modules/cline/package.json';
const PROVIDERS = '/home/user/.cline/data/settings/providers.json';

function judge(id: string, texts: Readonly<Record<string, string>>, own = {}): ProbeVerdict {
  const env = { HOME: '/home/user', ...own };
  const binary = '/opt/node_modules/cline/bin/cline';
  const probes = preflight({ permissions: 'ask', uid: 1000, env, cwd: '/p', binary });
  const probe = probes.find((each) => each.id === id);
  if (probe === undefined || !('judgeFiles' in probe)) throw new Error(`${id} reads no files`);
  return probe.judgeFiles(probe.files.map((path) => texts[path]));
}

describe('auth', () => {
  const chosen = '{"version":1,"lastUsedProvider":"openai-compatible","providers":{"a":{}}}';

  it('is a provider that was set up, wherever the user keeps them', () => {
    expect(judge('auth', { [PROVIDERS]: chosen })).toEqual({
      ok: true,
      found: 'provider openai-compatible',
    });
    const own = { CLINE_DIR: '/d' };
    expect(judge('auth', { '/d/data/settings/providers.json': chosen }, own).ok).toBe(true);
    expect(judge('auth', { [PROVIDERS]: chosen }, own).ok).toBe(false);
  });

  it('is missing without one', () => {
    expect(judge('auth', {})).toMatchObject({ ok: false, code: 'agent.logged-out' });
    expect(judge('auth', { [PROVIDERS]: '{"providers":{}}' })).toMatchObject({ ok: false });
  });

  it('is not decided by a file that cannot be read', () => {
    expect(judge('auth', { [PROVIDERS]: '{"prov' }).ok).toBe(true);
  });
});

describe('version', () => {
  it('is read from the package, without running the program', () => {
    expect(judge('version', { [PACKAGE]: '{"version":"3.0.65"}' }).ok).toBe(true);
    expect(judge('version', { [PACKAGE]: '{"version":"3.10.0"}' }).ok).toBe(true);
    expect(judge('version', { [PACKAGE]: '{"version":"3.0.9"}' })).toMatchObject({
      ok: false,
      code: 'agent.version',
    });
    expect(judge('version', {}).ok).toBe(true);
  });
});
