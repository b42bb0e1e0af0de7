import type { Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson } from '../shared/json.ts';

export function preflight(): readonly Probe[] {
  return [
    {
      id: 'auth',
      args: ['auth', 'status'],
      timeoutMs: 5000,
      level: 'fast',
      judge: ({ exitCode, stdout }) => judgeAuth(exitCode, parseJson(stdout)),
    },
  ];
}

function judgeAuth(exitCode: number | undefined, answer: unknown): ProbeVerdict {
  const loggedIn = isRecord(answer) ? answer.loggedIn : undefined;
  if (exitCode === 0 && loggedIn === true) return { ok: true, found: 'logged in' };
  if (loggedIn === false)
    return {
      ok: false,
      code: 'agent.logged-out',
      found: 'logged out',
      needed: 'a login',
      fix: 'unset DEMO_LOGGED_OUT',
    };
  return {
    ok: false,
    code: 'agent.missing',
    found: `\`auth status\` ended with ${exitCode ?? 'no status'} and no readable answer`,
    needed: 'the bundled demo agent',
    fix: 'npm install -g multi-agent-mux',
  };
}
