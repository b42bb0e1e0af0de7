import type { PreflightRequest, Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson } from '../shared/json.ts';

/** It is part of mam: that it starts needs no proof at every create, and its login is a variable. */
export function preflight({ env }: PreflightRequest): readonly Probe[] {
  if (env.DEMO_LOGGED_OUT === '1') return [{ id: 'auth', verdict: LOGGED_OUT }];
  return [
    {
      id: 'auth',
      args: ['auth', 'status'],
      timeoutMs: 5000,
      level: 'full',
      judge: ({ exitCode, stdout }) => judgeAuth(exitCode, parseJson(stdout)),
    },
  ];
}

const LOGGED_OUT: ProbeVerdict = {
  ok: false,
  code: 'agent.logged-out',
  found: 'logged out',
  needed: 'a login',
  fix: 'unset DEMO_LOGGED_OUT',
};

function judgeAuth(exitCode: number | undefined, answer: unknown): ProbeVerdict {
  const loggedIn = isRecord(answer) ? answer.loggedIn : undefined;
  if (exitCode === 0 && loggedIn === true) return { ok: true, found: 'logged in' };
  if (loggedIn === false) return LOGGED_OUT;
  return {
    ok: false,
    code: 'agent.missing',
    found: `\`auth status\` ended with ${exitCode ?? 'no status'} and no readable answer`,
    needed: 'the bundled demo agent',
    fix: 'npm install -g multi-agent-mux',
  };
}
