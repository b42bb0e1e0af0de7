import type { PreflightRequest, Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson, stringAt } from '../shared/json.ts';
import { judgePrintedVersion } from '../shared/version.ts';

/** The oldest that the adapter was tested with. */
const version = { oldest: '2.1.197', fix: 'npm install -g @anthropic-ai/claude-code' };

/** `auth status` takes 0.2 to 0.9 s and needs no network; it does not tell whether a key is valid. */
export function preflight(request: PreflightRequest): readonly Probe[] {
  return [
    { id: 'root', verdict: judgeRoot(request) },
    {
      id: 'auth',
      args: ['auth', 'status'],
      timeoutMs: 10_000,
      level: 'fast',
      judge: ({ stdout }) => judgeAuth(parseJson(stdout)),
    },
    {
      id: 'version',
      args: ['--version'],
      timeoutMs: 10_000,
      level: 'full',
      judge: ({ stdout }) => judgePrintedVersion(stdout, version),
    },
  ];
}

/** Claude itself ends with 1 in this case, after the screen was cleared; only the value `1` helps. */
function judgeRoot({ uid, permissions, env }: PreflightRequest): ProbeVerdict {
  if (uid !== 0 || permissions === 'ask' || env.IS_SANDBOX === '1')
    return { ok: true, found: `uid ${uid}, permissions ${permissions}` };
  return {
    ok: false,
    code: 'agent.refuses-root',
    found: 'uid 0 with permissions skip',
    needed: 'an ordinary user, or permissions ask',
    fix: 'run mam as an ordinary user, or with --permissions ask (in a sandbox: IS_SANDBOX=1)',
  };
}

/** An answer that cannot be read decides nothing: the start itself will tell. */
function judgeAuth(answer: unknown): ProbeVerdict {
  if (!isRecord(answer) || answer.loggedIn !== false)
    return { ok: true, found: describeLogin(answer) };
  return {
    ok: false,
    code: 'agent.logged-out',
    found: 'not logged in',
    needed: 'a login or ANTHROPIC_API_KEY',
    fix: 'claude auth login',
  };
}

function describeLogin(answer: unknown): string {
  if (!isRecord(answer)) return 'login unknown';
  return `logged in by ${stringAt(answer, 'authMethod') ?? 'an unnamed method'}`;
}
