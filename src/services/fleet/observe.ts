import type { HookEvent } from '../../domain/hook-fact.ts';
import { isLiving, type ProcessIdentity } from '../../domain/owner.ts';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Session, TmuxServerRecord } from '../../domain/session.ts';
import type { ScreenReading, StateFileFact } from '../../ports/agent-adapter.ts';
import type { PaneLook, ServerLook } from '../../ports/multiplexer.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import type { ReadContext } from './context.ts';
import { type ExitRecord, readExit, readIdentityFile } from './launch-folder.ts';
import { allEvents } from './spool.ts';

export type ServerState = 'up' | 'none' | 'gone' | 'unreachable';

/** What one look found of one session. Evidence only; what it means is said by `deriveActivity`. */
export interface Observation {
  readonly session: Session;
  readonly server: ServerState;
  /** Another machine's session: never judged, signalled or resumed from here. */
  readonly isRemote: boolean;
  readonly agent: ProcessIdentity | undefined;
  readonly agentAlive: boolean;
  /** Its process group holds the terminal: what is typed reaches it. */
  readonly inForeground: boolean;
  /** One letter of /proc/<pid>/stat; `T` is stopped. */
  readonly agentState: string | undefined;
  readonly exit: ExitRecord | undefined;
  /** The pane, proven ours by its tag. */
  readonly pane: PaneLook | undefined;
  readonly screen: Screen | undefined;
  readonly reading: ScreenReading | undefined;
  readonly events: readonly HookEvent[];
  /** False for an agent that tells nothing by hooks: its composer alone says that it is up. */
  readonly hooksExpected: boolean;
  readonly stateFile: StateFileFact | undefined;
}

/**
 * Looks at sessions: files first, then tmux once for all of them. Changes nothing.
 *
 * @param newestEvents - How many of each session's hook events are read, from the newest; default all
 *   that are kept. The state needs a few.
 */
export async function observe(
  context: ReadContext,
  sessions: readonly Session[],
  newestEvents?: number,
): Promise<readonly Observation[]> {
  const running = sessions.filter((session) => session.status === 'running' && session.tmux);
  const panes = running.flatMap(({ tmux }) => tmux?.paneId ?? []);
  const record = context.readRegistry((reader) => reader.tmuxServer());
  // A recorded server is looked at without sessions too: not asked is no answer.
  const look: ServerLook =
    running.length === 0 && !record
      ? { server: 'none', reason: 'no session runs' }
      : await context.multiplexer.look(panes);
  const server = serverState(context, look, record, running.length > 0);
  const panesById = new Map(
    look.server === 'up' ? look.panes.map((pane) => [pane.paneId, pane]) : [],
  );
  return sessions.map((session) =>
    observeOne(context, session, { server, panesById, newestEvents }),
  );
}

export async function observeSession(context: ReadContext, session: Session): Promise<Observation> {
  const [observation] = await observe(context, [session]);
  if (!observation) throw new TypeError('observe returned nothing');
  return observation;
}

/** A server that does not answer is gone only when its process is proven gone. */
export function serverState(
  { processes }: Pick<ReadContext, 'processes'>,
  look: ServerLook,
  record: TmuxServerRecord | undefined,
  anyRunning: boolean,
): ServerState {
  if (look.server === 'up') return 'up';
  if (!record) return 'none';
  const sameBoot = record.host === processes.self.host && record.boot === processes.self.boot;
  if (sameBoot && processes.isAlive(record.process)) return 'unreachable';
  return anyRunning ? 'gone' : 'none';
}

interface Seen {
  readonly server: ServerState;
  readonly panesById: ReadonlyMap<string, PaneLook>;
  readonly newestEvents: number | undefined;
}

function observeOne(
  context: ReadContext,
  session: Session,
  { server, panesById, newestEvents }: Seen,
): Observation {
  const adapter = context.adapters.get(session.agent);
  const folder = workspacePaths.launch(context.workspace, session.launch);
  const isRunning = session.status === 'running';
  const sameBoot = session.boot === context.processes.self.boot;
  const agent = isRunning
    ? (readIdentityFile(context.files, `${folder}/agent`) ?? session.agentProcess ?? undefined)
    : undefined;
  const info = agent && sameBoot ? context.processes.find(agent.pid) : undefined;
  const agentAlive = agent !== undefined && isLiving(info, agent);
  const pane = isRunning ? findPane(panesById, session) : undefined;
  const screen = pane?.captured === undefined ? undefined : toScreen(pane, pane.captured);
  return {
    session,
    server,
    isRemote: session.host !== context.processes.self.host,
    agent,
    agentAlive,
    inForeground: agentAlive && info !== undefined && info.processGroup === info.foregroundGroup,
    agentState: agentAlive ? info?.state : undefined,
    exit: isRunning ? readExit(context.files, folder) : undefined,
    pane,
    screen,
    reading: screen && adapter.readScreen(screen),
    hooksExpected: adapter.card.readyHook,
    events: isRunning ? allEvents(context, session, newestEvents) : [],
    stateFile: agentAlive && agent ? readStateFile(context, session, agent) : undefined,
  };
}

/** Ids of panes begin again with each server: the tag says whether it is the one we made. */
function findPane(
  panesById: ReadonlyMap<string, PaneLook>,
  { tmux, launch }: Session,
): PaneLook | undefined {
  const pane = panesById.get(tmux?.paneId ?? '');
  return pane?.launchTag === launch ? pane : undefined;
}

export function toScreen(pane: PaneLook, captured: string): Screen {
  return {
    rows: parseScreenRows(captured),
    cols: pane.cols,
    cursor: pane.cursor,
    title: pane.title,
    ...(pane.mode === undefined ? {} : { mode: pane.mode }),
  };
}

function readStateFile(
  { adapters, files, env }: ReadContext,
  session: Session,
  agent: ProcessIdentity,
): StateFileFact | undefined {
  const { stateFile } = adapters.get(session.agent);
  const text = stateFile && files.readText(stateFile.path({ agentPid: agent.pid, env }));
  const fact = text === undefined ? undefined : stateFile?.parse(text);
  const isTheirs =
    fact?.pid === agent.pid && (fact.pidStart === undefined || fact.pidStart === agent.startTicks);
  return isTheirs ? fact : undefined;
}
