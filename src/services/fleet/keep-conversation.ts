import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { afterwards } from './afterwards.ts';
import type { FleetContext } from './context.ts';
import { lookUpConversation, storeFolderOf } from './conversations.ts';
import { launchFolder } from './launch-records.ts';

type KeepContext = Pick<FleetContext, 'files' | 'env' | 'adapters' | 'logger' | 'workspace'>;

/** In the folder of a launch that resumes: the conversation's file as it was, and where it lies. */
const COPY = 'conversation';
const PLACE = 'conversation-path';

/**
 * Copies of the conversation for the folder of a launch that resumes it, where the agent itself may
 * delete it (docs/decisions/0008).
 */
export function copiesOf(
  context: KeepContext,
  adapter: AgentAdapter,
  session: Session,
): readonly { readonly name: string; readonly content: string }[] {
  if (!adapter.store.leavesStubs) return [];
  const { found } = lookUpConversation(context, adapter, session, session.conversationId ?? '');
  const content = found && context.files.readText(found.path);
  if (found === undefined || content === undefined) return [];
  return [
    { name: COPY, content },
    { name: PLACE, content: found.path },
  ];
}

/** Before any start of such an agent: of all its sessions here, for one start can cost them all. */
export function keepConversations(context: FleetContext, adapter: AgentAdapter): Promise<void> {
  const sessions = context.registry.read((reader) => reader.sessions());
  const own = sessions.filter(({ agent, resumable }) => agent === adapter.kind && resumable);
  return keep(context, adapter, own);
}

/** Once its agent is up, and at its end. */
export function keepConversation(context: KeepContext, session: Session): Promise<void> {
  return keep(context, context.adapters.get(session.agent), [session]);
}

async function keep(
  context: KeepContext,
  adapter: AgentAdapter,
  sessions: readonly Session[],
): Promise<void> {
  if (!adapter.store.leavesStubs) return;
  for (const session of sessions) {
    await afterwards(context, `The conversation of "${session.name}" was not looked after`, () => {
      putBack(context, session);
      removeStubs(context, adapter, session);
    });
  }
}

/**
 * The agent only appends: a file that begins as the copy does is whole, and what it has written since its
 * file was deleted belongs behind the copy.
 */
function putBack(context: KeepContext, session: Session): void {
  const { files, logger } = context;
  const folder = launchFolder(context, session.launch);
  const path = files.readText(`${folder}/${PLACE}`);
  const copy = path === undefined ? undefined : files.readText(`${folder}/${COPY}`);
  if (path === undefined || copy === undefined) return;
  const now = files.readText(path) ?? '';
  if (firstLine(now) === firstLine(copy)) return;
  files.writeAtomic(path, copy + now);
  logger.warn(`The agent had deleted the conversation of "${session.name}"; it was put back.`);
}

/** A file of the same conversation that says nothing, beside one that does: the reason of the loss. */
function removeStubs(context: KeepContext, adapter: AgentAdapter, session: Session): void {
  const { files } = context;
  const { conversationId, cwd } = session;
  if (conversationId === null) return;
  const lookup = lookUpConversation(context, adapter, session, conversationId);
  if (!lookup.found) return;
  const folder = storeFolderOf(context, adapter, session);
  const paths = adapter.store.paths({ conversationId, cwd, folder }).flatMap(files.glob);
  for (const path of new Set(paths)) {
    const isStub =
      path !== lookup.found.path &&
      adapter.store.inspect(files.readText(path) ?? '').messages === 0;
    if (isStub) files.remove(path);
  }
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}
