import { describe, expect, it } from 'vitest';
import type { LaunchRequest, Probe } from '../../ports/agent-adapter.ts';
import { demo } from './index.ts';

const request: LaunchRequest = {
  sessionName: 'my job',
  conversation: { kind: 'new', id: 'c1' },
  cwd: '/w',
  permissions: 'ask',
  extraArgs: ['--ghost', 'x'],
  binary: '/bin/demo',
  launchDir: '/l',
  hookScript: "/l/it's/hook",
  mcpFiles: [],
  env: {},
};

describe('planLaunch', () => {
  it('starts a new conversation under our id, hooks in a file of the launch', () => {
    const plan = demo.planLaunch(request);
    expect(plan.argv.join('|')).toBe(
      '/bin/demo|--session-id|c1|--settings|/l/settings.json|-n|my job|--permissions|ask|--ghost|x',
    );
    const settings: unknown = JSON.parse(plan.files[0]?.content ?? '');
    expect(plan.files.map((file) => file.name)).toEqual(['settings.json']);
    expect(settings).toHaveProperty('hooks.Stop', [
      { hooks: [{ type: 'command', command: "sh '/l/it'\\''s/hook' Stop" }] },
    ]);
    expect(settings).toHaveProperty('hooks.PermissionRequest');
  });

  it('resumes, with model and permissions', () => {
    const conversation = { kind: 'resume', id: 'c1' } as const;
    const plan = demo.planLaunch({ ...request, conversation, permissions: 'skip', model: 'm' });
    expect(plan.argv.slice(1, 3)).toEqual(['--resume', 'c1']);
    expect(plan.argv.slice(7, 11)).toEqual(['--permissions', 'skip', '--model', 'm']);
  });
});

describe('preflight', () => {
  const probesWith = (env: Readonly<Record<string, string>>) =>
    demo.preflight({
      ...{ permissions: 'ask', uid: 0, env },
      ...{ binary: '/usr/bin/mam-demo-agent', cwd: '/' },
    });
  const probe = probesWith({})[0] as Probe;
  const judge = (exitCode: number | undefined, stdout: string) => {
    if (!('judge' in probe)) throw new Error('the probe runs a program');
    return probe.judge({ exitCode, stdout, stderr: '' });
  };

  it('tells logged in, logged out and broken apart', () => {
    expect(probe).toMatchObject({ args: ['auth', 'status'], timeoutMs: 5000, level: 'full' });
    expect(judge(0, '{"loggedIn":true}\n')).toEqual({ ok: true, found: 'logged in' });
    expect(judge(1, '{"loggedIn":false}\n')).toMatchObject({ code: 'agent.logged-out' });
    expect(judge(1, '{"loggedIn":true}\n')).toMatchObject({ code: 'agent.missing' });
    expect(judge(undefined, '')).toMatchObject({ ok: false, code: 'agent.missing' });
  });

  it('knows at once when it is told to be logged out', () => {
    expect(probesWith({ DEMO_LOGGED_OUT: '1' })).toMatchObject([
      { verdict: { ok: false, code: 'agent.logged-out' } },
    ]);
  });
});
