import { isMamError } from '../../domain/errors.ts';
import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import { type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import type { ReadContext } from './context.ts';

/** `<epoch s>.<pid>.<event>`; names that begin with a dot are still being written. */
const SPOOL_NAME = /^(\d+)\.\d+\.([A-Za-z0-9_-]+)$/;
/** The hook script cuts payloads at 4 MiB. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
/** More than this many waiting files of one launch: the oldest are dropped and counted. */
export const MAX_PENDING = 10_000;
/** Between an event and its file. */
const MAX_LAG_MS = 60_000;

/**
 * Hook events of a launch that no command has taken into the registry yet, oldest first. Reads only.
 *
 * Text in a spool file is the agent's own word: what cannot be read is skipped.
 */
export function readSpool(
  { workspace, files }: { readonly workspace: Workspace; readonly files: Files },
  launch: string,
  adapter: AgentAdapter,
): readonly HookEvent[] {
  const folder = workspacePaths.spool(workspace, launch);
  const events: HookEvent[] = [];
  for (const name of newest(files.list(folder)).kept) {
    const event = readEvent(files, `${folder}/${name}`, name, adapter);
    if (event) events.push(event);
  }
  return events.sort(inOrder);
}

/** What is over the bound is not even read: a flood must not hold up who looks. */
export function newest(names: readonly string[]): {
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
} {
  const events = names.filter((name) => SPOOL_NAME.test(name));
  if (events.length <= MAX_PENDING) return { kept: events, dropped: [] };
  const second = (name: string) => Number(SPOOL_NAME.exec(name)?.[1]);
  const byAge = [...events].sort((a, b) => second(a) - second(b));
  return { kept: byAge.slice(-MAX_PENDING), dropped: byAge.slice(0, -MAX_PENDING) };
}

function readEvent(
  files: Files,
  path: string,
  name: string,
  adapter: AgentAdapter,
): HookEvent | undefined {
  const kind = SPOOL_NAME.exec(name)?.[2];
  const stat = kind === undefined ? undefined : files.stat(path);
  if (kind === undefined || stat?.kind !== 'file') return undefined;
  const text = payloadOf(files, path);
  if (text === undefined) return undefined;
  const fact = adapter.readHook(kind, parseJson(text)) ?? ({ kind: 'noted', event: kind } as const);
  return { name, atMs: momentOf(fact, stat.modifiedMs), fact };
}

/**
 * Hooks that run beside each other may be written in another order than they were fired in. The agent's word
 * counts where it can be true.
 */
function momentOf({ firedAtMs }: HookFact, writtenMs: number): number {
  const isPossible =
    firedAtMs !== undefined && firedAtMs <= writtenMs && writtenMs - firedAtMs <= MAX_LAG_MS;
  return isPossible ? firedAtMs : writtenMs;
}

/** Undefined for what cannot be read, such as a link to what is no file. */
function payloadOf(files: Files, path: string): string | undefined {
  try {
    return files.readPart(path, MAX_PAYLOAD_BYTES, 'start') ?? '';
  } catch (error) {
    if (!isMamError(error, 'file.unreadable')) throw error;
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Events of a session's launch: those stored in the registry, and those still in the spool, in order. */
export function allEvents(
  context: ReadContext,
  session: Session,
  stored = context.readRegistry((reader) => reader.hookEvents(session.launch)),
): { readonly events: readonly HookEvent[]; readonly waiting: number } {
  const waiting = readSpool(context, session.launch, context.adapters.get(session.agent));
  return { events: merge(stored, waiting), waiting: waiting.length };
}

/** A waiting event may be older than one that was stored already, or be stored itself by now. */
export function merge(
  stored: readonly HookEvent[],
  waiting: readonly HookEvent[],
): readonly HookEvent[] {
  const names = new Set(stored.map(({ name }) => name));
  const fresh = waiting.filter(({ name }) => !names.has(name));
  return fresh.length === 0 ? stored : [...stored, ...fresh].sort(inOrder);
}

/** By file time, then name. */
function inOrder(a: HookEvent, b: HookEvent): number {
  return a.atMs - b.atMs || (a.name < b.name ? -1 : 1);
}
