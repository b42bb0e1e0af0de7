import { MamError } from '../../domain/errors.ts';
import { isSameSpace, UNSEEN_OWNER_MS } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { ConversationClaim } from '../../ports/claims.ts';
import { afterwards } from './afterwards.ts';
import type { FleetContext } from './context.ts';
import { storeFolderOf } from './conversations.ts';

type ClaimContext = Pick<
  FleetContext,
  'claims' | 'processes' | 'workspace' | 'adapters' | 'files' | 'env' | 'clock'
>;

/**
 * Takes the session's conversation for its launch, over all workspaces of this user.
 *
 * @throws {MamError} `conversation.claimed` with the holder, `registry.busy`, `registry.unwritable`.
 */
export function claimConversation(context: ClaimContext, session: Session): void {
  const id = session.conversationId;
  const holder = id === null ? undefined : take(context, session, id);
  if (holder) throw claimedElsewhere(session, holder);
}

/** @returns Whether nobody else holds it. @throws {MamError} `registry.busy`, `registry.unwritable`. */
export function mayClaim(context: ClaimContext, session: Session, conversationId: string): boolean {
  return take(context, session, conversationId) === undefined;
}

/** Whether a session of another workspace that lives has it. Takes nothing. */
export function isHeldElsewhere(
  context: ClaimContext,
  session: Session,
  conversationId: string,
): boolean {
  return holderElsewhere(context, session, conversationId) !== undefined;
}

/** @throws {MamError} `conversation.claimed` with the holder, `registry.busy`. */
export function assertNotHeldElsewhere(context: ClaimContext, session: Session, id: string): void {
  const holder = holderElsewhere(context, session, id);
  if (holder) throw claimedElsewhere(session, holder);
}

function holderElsewhere(
  context: ClaimContext,
  session: Session,
  conversationId: string,
): ConversationClaim | undefined {
  const folder = realFolder(context, context.adapters.get(session.agent), session);
  const holder = context.claims.find({ agent: session.agent, folder, conversationId });
  return holder && !isOver(context, holder) ? holder : undefined;
}

/** A claim that stays behind holds nothing: its launch's processes are gone. */
export async function releaseConversations(context: FleetContext, launch: string): Promise<void> {
  await afterwards(context, 'Who holds which conversation could not be brought up to date', () =>
    context.claims.release(launch),
  );
}

function take(
  context: ClaimContext,
  session: Session,
  conversationId: string,
): ConversationClaim | undefined {
  const { claims, workspace, processes, adapters, clock } = context;
  const claim: ConversationClaim = {
    agent: session.agent,
    folder: realFolder(context, adapters.get(session.agent), session),
    conversationId,
    workspaceId: workspace.id,
    workspaceRoot: workspace.root,
    sessionId: session.id,
    sessionName: session.name,
    launch: session.launch,
    owner: processes.self,
    takenAtMs: clock.nowMs(),
    agentProcess: session.agentProcess,
  };
  return claims.take(claim, (holder) => isOver(context, holder));
}

/** One profile has one name, whatever links lead to it. */
function realFolder(context: ClaimContext, adapter: AgentAdapter, session: Session): string {
  const folder = storeFolderOf(context, adapter, session);
  return context.files.realPath(folder) ?? folder;
}

/**
 * Our own workspace's sessions are told apart by the registry. Another's holds while a process of its launch
 * lives, or, for the time that a start may take, the command that took it: a monitor lives for weeks. One
 * that cannot be seen from here holds until it is released.
 */
function isOver({ processes, workspace, clock }: ClaimContext, holder: ConversationClaim): boolean {
  if (holder.workspaceId === workspace.id) return true;
  const { owner, launch, agentProcess, takenAtMs } = holder;
  const { self } = processes;
  if (owner.host === self.host && owner.boot !== self.boot) return true;
  if (!isSameSpace(owner, self)) return false;
  const mayBeStarting = Math.abs(clock.nowMs() - takenAtMs) < UNSEEN_OWNER_MS;
  const lives =
    (mayBeStarting && processes.isAlive(owner)) ||
    (agentProcess !== null && processes.isAlive(agentProcess)) ||
    processes.withEnvironment('MAM_LAUNCH', launch).length > 0;
  return !lives;
}

function claimedElsewhere({ name, conversationId }: Session, holder: ConversationClaim): MamError {
  const { sessionName, workspaceRoot, owner } = holder;
  return new MamError(
    'conversation.claimed',
    `Conversation ${conversationId} of "${name}" is held by session "${sessionName}" of ${workspaceRoot} (host ${owner.host}).`,
    { session: name, holder: sessionName, workspace: workspaceRoot, host: owner.host },
    { hint: `mam stop ${sessionName} --workspace ${JSON.stringify(workspaceRoot)}` },
  );
}
