import { sha256 } from '../../base/sha256.ts';
import { ulidTimeMs } from '../../base/ulid.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter, ConversationHead } from '../../ports/agent-adapter.ts';
import { isHeldElsewhere } from './claims.ts';
import type { FleetContext } from './context.ts';
import { isPlainId, storeFolderOf } from './conversations.ts';
import {
  type EnteredPrompt,
  enteredPrompts,
  FILE_TIME_SLACK_MS,
  isTraceOf,
  type StoredPrompt,
} from './entered-prompts.ts';

/** Enough for the first messages of nearly every conversation. */
const HEAD_BYTES = 256 * 1024;

/** A conversation of the agent's store that no session has. */
export interface ConversationCandidate {
  readonly id: string;
  readonly path: string;
  readonly firstPrompt: string | undefined;
  readonly modifiedMs: number;
}

export type Finding =
  | { readonly id: string }
  /** None, or more than one may be meant: nobody chooses but a person. */
  | { readonly id?: undefined; readonly candidates: readonly ConversationCandidate[] };

type FindContext = Pick<
  FleetContext,
  'files' | 'env' | 'processes' | 'adapters' | 'readRegistry' | 'claims' | 'workspace' | 'clock'
>;

/**
 * Which conversation a session is on that neither its row nor a hook tells: what its process holds open;
 * then the one of the store that was written since its launch, in its folder, with the prompts that it
 * was given, and that nobody else has. It is never the newest.
 *
 * Reads files: outside of any transaction.
 */
export function findConversation(context: FindContext, session: Session): Finding {
  const adapter = context.adapters.get(session.agent);
  const open = heldOpen(context, adapter, session);
  if (open !== undefined) return { id: open };
  const candidates = storeCandidates(context, adapter, session);
  const matching = matchingPrompts(context, adapter, session, candidates);
  const [only] = matching;
  if (only && matching.length === 1) return { id: only.id };
  return { candidates: matching.length > 1 ? matching : candidates };
}

/** @returns The only one; two that are open say nothing. */
function heldOpen(
  { processes }: FindContext,
  { store }: AgentAdapter,
  { agentProcess }: Session,
): string | undefined {
  const { idOfOpenFile } = store;
  if (!idOfOpenFile || !agentProcess || !processes.isAlive(agentProcess)) return undefined;
  const ids = processes.openFiles(agentProcess.pid).map((path) => idOfOpenFile(path));
  const found = [...new Set(ids.filter((each) => each !== undefined && isPlainId(each)))];
  return found.length === 1 ? found[0] : undefined;
}

function storeCandidates(
  context: FindContext,
  adapter: AgentAdapter,
  session: Session,
): readonly ConversationCandidate[] {
  const { files } = context;
  const since = ulidTimeMs(session.launch) - FILE_TIME_SLACK_MS;
  const folder = storeFolderOf(context, adapter, session);
  const found = new Map<string, ConversationCandidate>();
  for (const path of adapter.store.all(folder).flatMap(files.glob)) {
    const stat = files.stat(path);
    if (stat?.kind !== 'file' || !stat.readable || stat.modifiedMs < since) continue;
    const text = files.readPart(path, HEAD_BYTES, 'start') ?? '';
    const id = adapter.store.idOf(path, text);
    const head = adapter.store.inspect(text);
    if (id === undefined || !isPlainId(id) || head.messages === 0) continue;
    if (!isOfFolder(head, session.cwd)) continue;
    found.set(id, { id, path, firstPrompt: head.firstPrompt, modifiedMs: stat.modifiedMs });
  }
  return [...found.values()].filter(({ id }) => isNobodys(context, session, id));
}

/** Where the agent writes no folder down, that tells nothing. */
function isOfFolder({ cwd, cwdHash }: ConversationHead, folder: string): boolean {
  if (cwd !== undefined) return cwd === folder;
  return cwdHash === undefined || cwdHash === sha256(folder);
}

function isNobodys(context: FindContext, session: Session, id: string): boolean {
  const owner = context.readRegistry((reader) => reader.findConversationOwner(session.agent, id));
  return owner === undefined && !isHeldElsewhere(context, session, id);
}

/**
 * Those that hold the newest prompt that was entered in this launch; of several, those that hold the most
 * of its prompts. Without any, nothing tells: a program that somebody started by hand may have written
 * the only one there is.
 */
function matchingPrompts(
  context: FindContext,
  adapter: AgentAdapter,
  session: Session,
  candidates: readonly ConversationCandidate[],
): readonly ConversationCandidate[] {
  const entered = context.readRegistry((reader) => enteredPrompts(reader, session));
  const newest = entered.at(-1);
  if (newest === undefined) return [];
  const scored = candidates
    .map((candidate) => ({ candidate, hashes: promptsOf(context, adapter, candidate, newest) }))
    .filter(({ hashes }) => hashes.has(newest.hash))
    .map(({ candidate, hashes }) => ({
      candidate,
      held: entered.filter(({ hash }) => hashes.has(hash)).length,
    }));
  const most = Math.max(...scored.map(({ held }) => held));
  return scored.filter(({ held }) => held === most).map(({ candidate }) => candidate);
}

/** Hashes of a conversation's prompts; of the newest text only what came after it was typed. */
function promptsOf(
  { files }: FindContext,
  { store }: AgentAdapter,
  { path }: ConversationCandidate,
  newest: EnteredPrompt,
): ReadonlySet<string> {
  const prompts = store.prompts(files.readText(path) ?? '');
  const isEarlier = (prompt: StoredPrompt) =>
    prompt.hash === newest.hash && !isTraceOf(prompt, newest);
  return new Set(prompts.filter((prompt) => !isEarlier(prompt)).map(({ hash }) => hash));
}
