import { sha256 } from '../../base/sha256.ts';
import { isMamError, MamError } from '../../domain/errors.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { type Clock, isoNow } from '../../ports/clock.ts';
import type { Files } from '../../ports/files.ts';
import type { HookInstallation, SettingsEditor } from '../../ports/hook-installation.ts';
import { hookCommand, scriptPath } from './hook-command.ts';
import { recordPath } from './install-record.ts';

export interface HooksContext {
  readonly files: Files;
  readonly clock: Clock;
  readonly editor: SettingsEditor;
  readonly env: Readonly<Record<string, string>>;
  /** `~/.mam` */
  readonly userFolder: string;
}

/** What a file of the user's will be, for the user to agree to. Nothing is changed by making it. */
export interface HookChange {
  readonly agent: string;
  readonly kind: 'install' | 'uninstall';
  /** The file itself, links resolved. */
  readonly file: string;
  /** Undefined when it is not there. */
  readonly before: string | undefined;
  /** Undefined when it goes again. */
  readonly after: string | undefined;
}

/** What was done to a file, to undo exactly that. */
interface InstallRecord {
  readonly v: 1;
  readonly file: string;
  readonly before: string | null;
  readonly after_sha256: string;
  readonly at: string;
}

/**
 * Puts our hooks into the user's settings of an agent, beside what is there; a former installation of ours
 * is replaced.
 *
 * @throws {MamError} `usage.invalid` for an agent that needs none, `file.unreadable`.
 */
export function planInstall(context: HooksContext, adapter: AgentAdapter): HookChange {
  const installation = installationOf(adapter);
  const { file, before } = readSettings(context, installation);
  const after = inFile(file, () => {
    const bare = before === undefined ? undefined : withoutOurs(context, before);
    const entries = installation.entries(hookCommand(context.userFolder));
    return context.editor.add(bare, entries);
  });
  return { agent: adapter.kind, kind: 'install', file, before, after };
}

/**
 * The way back: byte for byte where nobody has changed the file since, else what is ours is taken out.
 *
 * @throws {MamError} As {@link planInstall}.
 */
export function planUninstall(context: HooksContext, adapter: AgentAdapter): HookChange {
  const { file, before } = readSettings(context, installationOf(adapter));
  const change = { agent: adapter.kind, kind: 'uninstall', file, before } as const;
  if (before === undefined) return { ...change, after: undefined };
  const record = readRecord(context, adapter.kind);
  const isUntouched = record?.file === file && record.after_sha256 === sha256(before);
  if (isUntouched) return { ...change, after: record.before ?? undefined };
  return { ...change, after: inFile(file, () => withoutOurs(context, before)) };
}

/**
 * @throws {MamError} `file.unreadable` when the file is another one by now: nothing was changed.
 */
export function applyChange(context: HooksContext, change: HookChange): void {
  const { files, userFolder } = context;
  const { agent, kind, file, before, after } = change;
  if (files.readText(file) !== before) throw changedMeanwhile(file);
  const record = recordPath(context.userFolder, agent);
  if (kind === 'uninstall') {
    put(context, file, after);
    files.remove(record);
    return;
  }
  files.makeFolder(`${userFolder}/hooks`);
  files.copyAsset('agent-hook.sh', scriptPath(userFolder));
  if (after === before || after === undefined) return;
  // Before the file itself: what is killed in between leaves a record that fits no file.
  files.writeAtomic(record, recordText(context, change, after));
  put(context, file, after);
}

/** Whether the user's settings name our hooks as they are now; undefined for an agent that needs none. */
export function areInstalled(context: HooksContext, adapter: AgentAdapter): boolean | undefined {
  if (!adapter.hookInstallation) return undefined;
  const { before, after } = planInstall(context, adapter);
  return before === after && context.files.stat(scriptPath(context.userFolder)) !== undefined;
}

function installationOf({ kind, hookInstallation }: AgentAdapter): HookInstallation {
  if (hookInstallation) return hookInstallation;
  throw new MamError(
    'usage.invalid',
    `${kind} needs no hooks in your settings: each start brings its own.`,
    { agent: kind },
  );
}

function readSettings(
  { files, env }: HooksContext,
  installation: HookInstallation,
): { readonly file: string; readonly before: string | undefined } {
  const named = installation.file(env);
  const file = files.realPath(named) ?? named;
  return { file, before: files.readText(file) };
}

function withoutOurs({ editor, userFolder }: HooksContext, text: string): string {
  return text.trim() === '' ? text : editor.remove(text, scriptPath(userFolder));
}

function put({ files }: HooksContext, file: string, text: string | undefined): void {
  if (text === undefined) files.remove(file);
  else files.replace(file, text);
}

/** An installation over an installation goes back to what was there before the first. */
function recordText(context: HooksContext, { agent, file, before }: HookChange, after: string) {
  const earlier = readRecord(context, agent);
  const isOver = earlier?.file === file && earlier.after_sha256 === sha256(before ?? '');
  const record: InstallRecord = {
    v: 1,
    file,
    before: isOver ? earlier.before : (before ?? null),
    after_sha256: sha256(after),
    at: isoNow(context.clock),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

/** One that cannot be read tells nothing: then what is ours is found by its mark. */
function readRecord(context: HooksContext, agent: string): InstallRecord | undefined {
  const text = context.files.readText(recordPath(context.userFolder, agent));
  try {
    const record = JSON.parse(text ?? '') as Partial<InstallRecord>;
    const { v, file, before, after_sha256: hash, at } = record;
    const isSound = v === 1 && typeof file === 'string' && typeof hash === 'string';
    if (!isSound || (before !== null && typeof before !== 'string')) return undefined;
    return { v, file, before, after_sha256: hash, at: at ?? '' };
  } catch {
    return undefined;
  }
}

/** @throws {MamError} `file.unreadable` with the file's name. */
function inFile<T>(file: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    if (!isMamError(error, 'file.unreadable')) throw error;
    const message = `${file} was not changed. ${error.message}`;
    throw new MamError('file.unreadable', message, { path: file }, { cause: error });
  }
}

function changedMeanwhile(file: string): MamError {
  return new MamError(
    'file.unreadable',
    `${file} was changed meanwhile; mam left it as it is.`,
    { path: file },
    { hint: 'Give the command again.' },
  );
}
