import { readdirSync } from 'node:fs';
import { chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { USER_ID } from './as-user.ts';

/** Never a real key. Claude keeps the last 20 characters of a key that the user approved. */
export const DUMMY_KEY = 'sk-ant-dummy-0000';

export interface UserHome extends AsyncDisposable {
  readonly path: string;
  /** A folder in it to work in. */
  readonly project: string;
}

/**
 * A temporary home that belongs to the ordinary user, in which Claude was set up before: onboarding
 * done, the dummy key approved, the warning about bypassed permissions accepted unless asked for.
 * Trust of `project` is left to be answered, unless `trusted`.
 */
export async function makeUserHome(
  options: { readonly trusted?: boolean; readonly bypassWarning?: boolean } = {},
): Promise<UserHome> {
  return makeHome((project) => ({
    '.claude.json': {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [DUMMY_KEY.slice(-20)], rejected: [] },
      projects: options.trusted ? { [project]: { hasTrustDialogAccepted: true } } : {},
    },
    '.claude/settings.json': {
      skipDangerousModePermissionPrompt: options.bypassWarning !== true,
      env: quiet,
    },
  }));
}

/**
 * The same in which Gemini's way to log in was chosen before. Its session retention is on, as it is
 * without a setting.
 */
export async function makeGeminiHome(): Promise<UserHome> {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  };
  return makeHome(() => ({ '.gemini/settings.json': settings }));
}

/**
 * The same in which a provider was set up before: the model at `modelUrl`, by the protocol of OpenAI. Its
 * advertisements were not seen yet.
 */
export async function makeClineHome(modelUrl: string): Promise<UserHome> {
  const provider = 'openai-compatible';
  const settings = {
    provider,
    apiKey: 'dummy-0000',
    model: 'fake-model',
    baseUrl: `${modelUrl}/v1`,
  };
  const updatedAt = '2026-01-01T00:00:00.000Z';
  return makeHome(() => ({
    '.cline/data/settings/providers.json': {
      version: 1,
      lastUsedProvider: provider,
      modes: {},
      providers: { [provider]: { settings, updatedAt, tokenSource: 'manual' } },
    },
    '.cline/data/settings/global-settings.json': { telemetryOptOut: true },
  }));
}

/** The same for Codex: the model at `modelUrl`, by the protocol of OpenAI's responses. */
export async function makeCodexHome(modelUrl: string): Promise<UserHome> {
  const config = `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "${modelUrl}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`;
  return makeHome(() => ({ '.codex/config.toml': config }));
}

/** @param seeds - Texts, and what becomes JSON, by their path in the home; told the folder to work in. */
async function makeHome(
  seeds: (project: string) => Readonly<Record<string, unknown>>,
): Promise<UserHome> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'mam-home-')));
  const project = join(path, 'project');
  await mkdir(project);
  for (const owned of [path, project]) await own(owned);
  for (const [name, value] of Object.entries(seeds(project))) {
    const file = join(path, name);
    await makeFolder(dirname(file), path);
    await writeSeed(file, value);
  }
  return {
    path,
    project,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Keeps Claude from anything but the model; harmless to what is tested. */
const quiet = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** The environment of the ordinary user, for `env -i`: a login shell's and what points at `modelUrl`. */
export function userEnv(home: string, modelUrl: string): Record<string, string> {
  return {
    ...loginEnv(home),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    ...quiet,
  };
}

/** The same for Gemini. */
export function geminiEnv(home: string, modelUrl: string): Record<string, string> {
  return { ...loginEnv(home), GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: 'dummy-key-0000' };
}

/** The same for Cline, whose home says where the model is. */
export function clineEnv(home: string): Record<string, string> {
  return loginEnv(home);
}

/** The same for Codex. */
export function codexEnv(home: string): Record<string, string> {
  return { ...loginEnv(home), OPENAI_API_KEY: 'sk-dummy-0000' };
}

function loginEnv(home: string): Record<string, string> {
  return {
    HOME: home,
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/bash',
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    TERM: 'tmux-256color',
  };
}

/** Absolute paths of all files below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function makeFolder(folder: string, home: string): Promise<void> {
  if (folder === home) return;
  await makeFolder(dirname(folder), home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await own(folder);
}

async function writeSeed(file: string, value: unknown): Promise<void> {
  const text = typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`;
  await writeFile(file, text, { mode: 0o600 });
  await own(file);
}

async function own(path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, USER_ID, USER_ID);
}
