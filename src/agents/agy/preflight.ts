import type { Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { judgePrintedVersion } from '../shared/version.ts';
import { keepsVersion } from './launch.ts';

/** The oldest whose screens are known. */
const version = { oldest: '1.0.10', fix: 'agy update' };

/** Neither asks the model. Each would replace the program by a newer one unless told not to. */
export function preflight(): readonly Probe[] {
  return [
    {
      id: 'version',
      args: ['--version'],
      env: keepsVersion,
      timeoutMs: 10_000,
      level: 'fast',
      judge: ({ stdout }) => judgePrintedVersion(stdout, version),
    },
    {
      id: 'auth',
      // The flag stands before the word: behind it, it is an error.
      args: ['--output-format', 'json', 'models'],
      env: keepsVersion,
      timeoutMs: 30_000,
      level: 'full',
      judge: ({ exitCode, stdout, stderr }) => judgeAuth(exitCode, stdout + stderr),
    },
  ];
}

/** What cannot be read decides nothing: older versions do not know the flag, and the screen will tell. */
function judgeAuth(exitCode: number | undefined, said: string): ProbeVerdict {
  if (exitCode === 0) return { ok: true, found: 'signed in' };
  if (!/\bsign in\b|\bnot signed in\b|\bauthentication timed out\b/i.test(said))
    return { ok: true, found: 'sign-in unknown' };
  return {
    ok: false,
    code: 'agent.logged-out',
    found: 'not signed in',
    needed: 'a sign-in, or modelProvider gemini with GEMINI_API_KEY',
    fix: 'agy, once: it asks how to sign in',
  };
}
