import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findText, parseObject, writeJson } from '../../../../src/demo-agent/home.ts';
import { type Argv, UsageError } from './argv.ts';
import type { ConversationPlace } from './conversation.ts';
import type { BannerFacts } from './frame.ts';
import { HookRunner } from './hook-runner.ts';
import { loadHooks } from './hooks-file.ts';
import { type Knobs, readKnobs } from './knobs.ts';
import { LogFile } from './log-file.ts';
import { Settings } from './settings.ts';
import { Script } from './steps.ts';
import { type Wording, wordingOf } from './wording.ts';

/** Everything of one run that its command line and environment decide. */
export interface Parts {
  readonly argv: Argv;
  readonly knobs: Knobs;
  readonly place: ConversationPlace;
  readonly settings: Settings;
  readonly script: Script;
  readonly wording: Wording;
  readonly facts: BannerFacts;
  readonly skipsPermissions: boolean;
  /** Folders of `--add-dir` that exist. */
  readonly workspaces: readonly string[];
  readonly onboarded: boolean;
  /** Folders whose trust is asked for. */
  untrusted(): readonly string[];
  /** Hooks as they are now: the project's own only when its folder is trusted. */
  hooks(workspacePaths: readonly string[]): HookRunner;
}

/** @throws {UsageError} Without a home. */
export function gatherParts(argv: Argv): Parts {
  const { env } = process;
  if (!env.HOME)
    throw new UsageError('Failed to start: $HOME is not defined: $HOME is not defined', 1);
  const folder = stateFolder();
  mkdirSync(join(folder, 'cache'), { recursive: true });
  const knobs = currentKnobs(argv);
  updateItself();
  const settings = new Settings(folder);
  const log = new LogFile(folder, argv.strings['log-file']);
  const cwd = realpathSync(process.cwd());
  const workspaces = argv.addDirs.filter((path) => existsSync(path));
  return {
    argv,
    knobs,
    place: {
      ...{ folder, cwd, emptyTranscript: knobs.emptyTranscript },
      log: (line) => log.line(line),
    },
    settings,
    script: new Script(knobs.scriptFile === undefined ? undefined : findText(knobs.scriptFile)),
    wording: wordingOf(knobs.version),
    facts: { version: knobs.version.text, account: account(settings), folder: shorten(cwd) },
    skipsPermissions: argv.flags.has('dangerously-skip-permissions'),
    workspaces,
    onboarded:
      settings.get('onboardingComplete') === true ||
      existsSync(join(folder, 'cache', 'onboarding.json')),
    untrusted: () => [...new Set([cwd, ...workspaces])].filter((path) => !settings.isTrusted(path)),
    hooks: (workspacePaths) => {
      const folders = [join(folder, '..', 'config')];
      if (settings.isTrusted(cwd)) folders.push(join(cwd, '.agents'));
      return new HookRunner({
        files: folders.map((each) => loadHooks(each, (line) => log.line(line))),
        version: knobs.version,
        modelName: 'gemini-3.8-flash-high',
        workspacePaths,
        timeoutMeans: knobs.hookTimeout,
        log: (line) => log.line(line),
      });
    },
  };
}

export function stateFolder(): string {
  return join(process.env.HOME || homedir(), '.gemini', 'antigravity-cli');
}

/** As a former run may have left it by replacing itself. */
export function currentKnobs(argv: Argv): Knobs {
  const flag = argv.strings['stub-version'];
  const updated = parseObject(findText(updateFile(stateFolder())))?.version;
  return readKnobs(process.env, flag ?? (typeof updated === 'string' ? updated : undefined));
}

/**
 * Where there is a newer version, by `STUB_AGY_SELFUPDATE=1` or a setting, which checks without our variables
 * see too, it takes the place of this one. Only `true` keeps it from that.
 */
export function updateItself(): void {
  const folder = stateFolder();
  const { STUB_AGY_SELFUPDATE, AGY_CLI_DISABLE_AUTO_UPDATE } = process.env;
  const isOffered =
    STUB_AGY_SELFUPDATE === '1' || new Settings(folder).get('stubOffersUpdate') === true;
  if (!isOffered || AGY_CLI_DISABLE_AUTO_UPDATE === 'true') return;
  writeJson(updateFile(folder), { version: '1.3.2' });
}

function updateFile(folder: string): string {
  return join(folder, 'cache', 'update.json');
}

function account(settings: Settings): string {
  const { AGY_CLI_HIDE_ACCOUNT_INFO, GEMINI_API_KEY } = process.env;
  if (AGY_CLI_HIDE_ACCOUNT_INFO) return '';
  const byKey = settings.get('modelProvider') === 'gemini' && GEMINI_API_KEY;
  return byKey ? 'Gemini API key' : 'user@example.com (Antigravity Starter Quota)';
}

function shorten(path: string): string {
  const home = process.env.HOME ?? '';
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
