import { ulidTimeMs } from '../../base/ulid.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import type { FleetContext } from './context.ts';

/** Enough to see the first messages of nearly every conversation. */
const HEAD_BYTES = 256 * 1024;
/** A first prompt of 1 MiB is one line of up to 6 MiB (JSON escapes); a longer file is no conversation. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** Ids become parts of paths, and of patterns of a purge: an agent's word may not name anything else. */
const PLAIN_ID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export interface FoundConversation {
  readonly path: string;
  readonly messages: number;
  /** Directory the agent wrote down, where it does. */
  readonly cwd: string | undefined;
  /** Whether it lies where the session's directory says, or somewhere else in the store. */
  readonly inPlace: boolean;
}

export type ConversationLookup =
  | { readonly found: FoundConversation }
  | { readonly found?: undefined; readonly reason: string; readonly looked: readonly string[] };

type LookupContext = { readonly files: Files; readonly env: Readonly<Record<string, string>> };
type Keeper = Pick<Session, 'cwd' | 'storeFolder'>;

/** Where the session's agent keeps its conversations, whatever the caller's own environment says. */
export function storeFolderOf(
  { env }: Pick<LookupContext, 'env'>,
  { store }: AgentAdapter,
  { storeFolder }: Pick<Session, 'storeFolder'>,
): string {
  return storeFolder ?? store.folder(env);
}

/** Whether its conversation has a file, written since this launch began: with messages or without. */
export function hasConversationFile(
  context: LookupContext & Pick<FleetContext, 'adapters'>,
  { conversationId, launch, ...session }: Session,
): boolean {
  if (conversationId === null || !isPlainId(conversationId)) return false;
  const { files, adapters } = context;
  return patternsOf(context, adapters.get(session.agent), session, conversationId)
    .flatMap((pattern) => files.glob(pattern))
    .some((path) => (files.stat(path)?.modifiedMs ?? 0) >= ulidTimeMs(launch));
}

function patternsOf(
  context: LookupContext,
  adapter: AgentAdapter,
  session: Keeper,
  conversationId: string,
): readonly string[] {
  const folder = storeFolderOf(context, adapter, session);
  return adapter.store.paths({ conversationId, cwd: session.cwd, folder });
}

/** Looks for one conversation in its agent's store. Files that cannot be used are told by reason. */
export function lookUpConversation(
  context: LookupContext,
  adapter: AgentAdapter,
  session: Keeper,
  conversationId: string,
): ConversationLookup {
  if (!isPlainId(conversationId)) {
    return { reason: `${JSON.stringify(conversationId)} is not an id`, looked: [] };
  }
  const { files } = context;
  const patterns = patternsOf(context, adapter, session, conversationId);
  const problems: string[] = [];
  for (const pattern of patterns) {
    for (const path of files.glob(pattern)) {
      const problem = whyUnusable(files, path);
      if (problem) {
        problems.push(`${path} ${problem}`);
        continue;
      }
      const inspected = inspect(files, adapter, path);
      if (inspected.messages === 0) {
        problems.push(`${path} holds no message`);
        continue;
      }
      const missing = whatLacks(context, adapter, session, conversationId);
      if (missing !== undefined) return { reason: `no file at ${missing}`, looked: [missing] };
      // A second place that is as fixed as the first was not looked for around it.
      const inPlace = pattern === patterns[0] || !pattern.includes('*');
      return { found: { path, messages: inspected.messages, cwd: inspected.cwd, inPlace } };
    }
  }
  const reason = problems[0] ?? `no file at ${patterns[0] ?? '(nowhere)'}`;
  return { reason, looked: patterns };
}

/** Without it the agent does not resume what its transcript has. */
function whatLacks(
  context: LookupContext,
  adapter: AgentAdapter,
  session: Keeper,
  conversationId: string,
): string | undefined {
  const folder = storeFolderOf(context, adapter, session);
  const needed = adapter.store.needs?.({ conversationId, cwd: session.cwd, folder }) ?? [];
  const isThere = needed.some((pattern) => context.files.glob(pattern).length > 0);
  return isThere ? undefined : needed[0];
}

/** True for what may stand in the path of a conversation's file. */
export function isPlainId(conversationId: string): boolean {
  return PLAIN_ID.test(conversationId);
}

export function conversationExists(
  context: LookupContext,
  adapter: AgentAdapter,
  session: Keeper,
  conversationId: string,
): boolean {
  return lookUpConversation(context, adapter, session, conversationId).found !== undefined;
}

/** The head first; the whole when its first line alone is longer than that. */
function inspect(files: Files, { store }: AgentAdapter, path: string) {
  const head = store.inspect(files.readPart(path, HEAD_BYTES, 'start') ?? '');
  const isCut = (files.stat(path)?.sizeBytes ?? 0) > HEAD_BYTES;
  if (head.messages > 0 || !isCut) return head;
  return store.inspect(files.readPart(path, WHOLE_BYTES, 'start') ?? '');
}

function whyUnusable(files: Files, path: string): string | undefined {
  const stat = files.stat(path);
  if (stat?.kind !== 'file') return 'is not a file';
  if (stat.sizeBytes === 0) return 'is empty';
  if (!stat.readable) return 'cannot be read';
  return undefined;
}
