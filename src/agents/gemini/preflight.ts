import type { PreflightRequest, Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson, recordAt, stringAt } from '../shared/json.ts';
import { judgePackageVersion, packageFile } from '../shared/version.ts';
import { store } from './store.ts';

/** The oldest that the adapter was tested with. */
const version = { oldest: '0.61.0', fix: 'npm install -g @google/gemini-cli' };
/** Any of these is a login. */
const KEYS = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_APPLICATION_CREDENTIALS',
];

/** Files only: `--version` takes 3 s, and `--list-sessions` asks the model. */
export function preflight(request: PreflightRequest): readonly Probe[] {
  const folder = store.folder(request.env);
  const settings = `${folder}/settings.json`;
  const project = `${request.cwd}/.gemini`;
  return [
    {
      id: 'auth',
      files: [settings, `${project}/settings.json`, `${folder}/.env`, `${project}/.env`],
      level: 'fast',
      judgeFiles: (texts) => judgeAuth(request.env, texts),
    },
    {
      id: 'version',
      files: [packageFile(request.binary)],
      level: 'full',
      judgeFiles: ([text]) => judgePackageVersion(text, version),
    },
    {
      id: 'retention',
      files: [settings],
      level: 'full',
      judgeFiles: ([text]) => ({ ok: true, found: describeRetention(text) }),
    },
  ];
}

/** What cannot be read decides nothing: the login dialog will tell. */
function judgeAuth(
  env: Readonly<Record<string, string>>,
  [user, project, ...envFiles]: readonly (string | undefined)[],
): ProbeVerdict {
  const key = KEYS.find((name) => env[name]);
  const kinds = [user, project].map((text) => (text === undefined ? '' : selectedType(text)));
  const known = kinds.find((kind) => kind !== '');
  if (known) return { ok: true, found: `logs in by ${known}` };
  if (kinds.includes(undefined)) return { ok: true, found: 'login unknown' };
  if (key !== undefined) return { ok: true, found: `${key}, not chosen yet: it will ask` };
  if (envFiles.some((text) => text && KEYS.some((name) => text.includes(name))))
    return { ok: true, found: 'a key in a .env file' };
  return {
    ok: false,
    code: 'agent.logged-out',
    found: 'not logged in',
    needed: 'a login or GEMINI_API_KEY',
    fix: 'gemini, once: it asks how to log in',
  };
}

/** `''`: none is chosen; `undefined`: comments, or no JSON. */
function selectedType(text: string): string | undefined {
  const settings = parseJson(text);
  if (!isRecord(settings)) return undefined;
  const auth = recordAt(recordAt(settings, 'security'), 'auth');
  return stringAt(auth, 'selectedType') ?? stringAt(settings, 'selectedAuthType') ?? '';
}

/** Gemini deletes what is older by itself; resumed conversations mam keeps (docs/decisions/0008). */
function describeRetention(text: string | undefined): string {
  const settings = parseJson(text ?? '{}');
  if (!isRecord(settings)) return 'unknown';
  const retention = recordAt(recordAt(settings, 'general'), 'sessionRetention');
  if (retention.enabled === false) return 'off: Gemini keeps every conversation';
  const age = stringAt(retention, 'maxAge') ?? '30d';
  return `on: Gemini deletes conversations of ${age} (general.sessionRetention.enabled false keeps them)`;
}
