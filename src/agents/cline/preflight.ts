import type { PreflightRequest, Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson, stringAt } from '../shared/json.ts';
import { judgePackageVersion, packageFile } from '../shared/version.ts';
import { dataDir } from './home.ts';

/** The oldest that the adapter was tested with. */
const version = { oldest: '3.0.65', fix: 'npm install -g cline' };

/** Files only: `--version` takes 3 s. */
export function preflight({ env, binary }: PreflightRequest): readonly Probe[] {
  return [
    {
      id: 'auth',
      files: [`${dataDir(env)}/settings/providers.json`],
      level: 'fast',
      judgeFiles: ([text]) => judgeProvider(text),
    },
    {
      id: 'version',
      files: [packageFile(binary)],
      level: 'full',
      judgeFiles: ([text]) => judgePackageVersion(text, version),
    },
  ];
}

/** What cannot be read decides nothing: the login screen will tell. */
function judgeProvider(text: string | undefined): ProbeVerdict {
  const settings = parseJson(text ?? '{}');
  if (!isRecord(settings)) return { ok: true, found: 'login unknown' };
  const { providers } = settings;
  const names = isRecord(providers) ? Object.keys(providers) : [];
  const last = stringAt(settings, 'lastUsedProvider') ?? names[0];
  if (last !== undefined && names.length > 0) return { ok: true, found: `provider ${last}` };
  return {
    ok: false,
    code: 'agent.logged-out',
    found: 'no provider',
    needed: 'a model provider',
    fix: 'cline auth, or cline, once: it asks for one',
  };
}
