import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runAsUser, USER_ID } from './as-user.ts';
import { ensureClaude } from './install-claude.ts';
import { DUMMY_KEY, makeUserHome, userEnv } from './user-home.ts';

/** Nothing listens there: these calls of Claude need no model. */
const NOWHERE = 'http://127.0.0.1:9';

describe('runAsUser', () => {
  it('runs with exactly the environment given, never as root', async () => {
    const run = await runAsUser(['sh', '-c', 'id -u; env; cat'], {
      env: { A: 'b c', PATH: '/usr/bin:/bin' },
      input: 'fed',
    });
    const [uid, ...rest] = run.stdout.split('\n');
    expect(uid).toBe(String(USER_ID));
    expect(rest).toEqual(expect.arrayContaining(['A=b c', 'fed']));
    expect(run.stdout).not.toContain('HOME=');
  });

  it('reports the exit code and both outputs', async () => {
    const run = await runAsUser(['sh', '-c', 'echo out; echo err >&2; exit 3'], { env: {} });
    expect(run).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
  });
});

describe('makeUserHome', () => {
  it('belongs to the user and is gone afterwards', async () => {
    let path: string;
    {
      await using home = await makeUserHome();
      path = home.path;
      const { exitCode } = await runAsUser(['sh', '-c', 'touch x && cat ../.claude.json'], {
        env: userEnv(home.path, NOWHERE),
        cwd: home.project,
      });
      expect(exitCode).toBe(0);
    }
    await expect(stat(path)).rejects.toThrow();
  });
});

describe.each(['2.1.332', '2.1.197'] as const)('ensureClaude %s', (version) => {
  it('installs once for all who ask at the same time', async () => {
    const [one, other] = await Promise.all([ensureClaude(version), ensureClaude(version)]);
    expect(one).toBe(other);
  });

  it('gives a program that runs for the user and sees the key', async () => {
    await using home = await makeUserHome();
    const env = userEnv(home.path, NOWHERE);
    const program = await ensureClaude(version);
    const asked = await runAsUser([program, '--version'], { env });
    expect(asked.stdout).toContain(version);
    const status = await runAsUser([program, 'auth', 'status'], { env });
    expect(status.exitCode).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ loggedIn: true, authMethod: 'api_key' });
    expect(env.ANTHROPIC_API_KEY).toBe(DUMMY_KEY);
  });
});
