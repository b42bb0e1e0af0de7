import type { HookEvent } from '../../domain/hook-fact.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { mayClaim } from './claims.ts';
import type { FleetContext, ReadContext } from './context.ts';
import { findMove, isStillNext, type Move, movedTo } from './conversation-move.ts';
import { MAX_PENDING, newest, readSpool } from './spool.ts';

/** Events remembered for each launch: evidence and activity need the newest only. */
const MAX_REMEMBERED = 1_000;

type DrainContext = Pick<
  FleetContext,
  | 'workspace'
  | 'files'
  | 'registry'
  | 'claims'
  | 'processes'
  | 'adapters'
  | 'env'
  | 'readRegistry'
  | 'logger'
  | 'clock'
>;

/**
 * Takes the waiting events of a launch into the registry with their effects, then removes the files.
 * A second drainer inserts nothing. The launch is the one of the folder, so an event of an old launch
 * cannot reach a new one. Without events it still follows a conversation whose file has appeared since.
 */
export function drainSpool(context: DrainContext, session: Session, launch: string): void {
  const adapter = context.adapters.get(session.agent);
  const isOurs = isOurFolder(context, launch);
  if (isOurs) dropOldest(context, session, launch);
  const events = isOurs ? readSpool(context, launch, adapter) : [];
  const move = claimed(context, session, findMove(context, adapter, session.id, launch, events));
  if (events.length === 0 && move === undefined) return;
  context.registry.update((tx) => {
    for (const event of events) tx.addHookEvent(launch, event);
    tx.trimHookEvents(launch, MAX_REMEMBERED);
    applyFacts(tx, adapter, session.id, { launch, events, move });
  });
  const folder = workspacePaths.spool(context.workspace, launch);
  for (const { name } of events) context.files.remove(`${folder}/${name}`);
}

/** One that another workspace's living session holds is not taken over. */
function claimed(
  context: DrainContext,
  session: Session,
  move: Move | undefined,
): Move | undefined {
  return move && mayClaim(context, session, move.conversationId) ? move : undefined;
}

/** More than are kept: the oldest go unread, and it is said how many. */
function dropOldest(
  { files, workspace, logger }: DrainContext,
  { name }: Session,
  launch: string,
): void {
  const folder = workspacePaths.spool(workspace, launch);
  const { dropped } = newest(files.list(folder));
  if (dropped.length === 0) return;
  for (const each of dropped) files.remove(`${folder}/${each}`);
  logger.warn(
    `${dropped.length} hook events of "${name}" were dropped: more than ${MAX_PENDING} had waited.`,
  );
}

/** What is drained is deleted: not through a link that leads elsewhere. */
function isOurFolder(
  { workspace, files }: Pick<ReadContext, 'workspace' | 'files'>,
  launch: string,
): boolean {
  const real = files.realPath(workspacePaths.launch(workspace, launch));
  return files.realPath(workspacePaths.spool(workspace, launch)) === `${real}/spool`;
}

/**
 * What a session learns from its events: that it has been spoken to, and the conversation it is on now.
 *
 * @param learnt.move - Its conversation's file was seen, or it was named with a turn.
 */
function applyFacts(
  tx: RegistryTransaction,
  adapter: AgentAdapter,
  sessionId: string,
  { launch, events, move }: Learnt,
): void {
  const session = tx.findSessionById(sessionId);
  if (!session || session.launch !== launch) return;
  const isNext = move !== undefined && isStillNext(tx, adapter, session, move);
  const prompted = session.prompted || isNext || events.some(tellsOfPrompt);
  if (!isNext && prompted === session.prompted) return;
  const moved = isNext ? movedTo(session, move.conversationId) : {};
  tx.putSession({ ...session, prompted, ...moved });
}

interface Learnt {
  readonly launch: string;
  readonly events: readonly HookEvent[];
  readonly move: Move | undefined;
}

function tellsOfPrompt({ fact }: HookEvent): boolean {
  return fact.kind === 'prompt-submitted' || fact.kind === 'turn-started';
}
