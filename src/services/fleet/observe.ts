import type { HookEvent } from '../../domain/hook-fact.ts';
import { isLiving, type ProcessIdentity } from '../../domain/owner.ts';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Session, TmuxServerRecord } from '../../domain/session.ts';
import type { ScreenReading, StateFileFact } from '../../ports/agent-adapter.ts';
import type { PaneLook, ServerLook } from '../../ports/multiplexer.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import { foldFacts, isYoung } from './activity-facts.ts';
import type { ReadContext } from './context.ts';
import { storeFolderOf } from './conversations.ts';
import { canSeePids, isElsewhere } from './here.ts';
import { type ExitRecord, readExit, readIdentityFile } from './launch-folder.ts';
import { allEvents } from './spool.ts';

export type ServerState = 'up' | 'none' | 'gone' | 'unreachable';

/** What one look found of one session. Evidence only; what it means is said by `deriveActivity`. */
export interface Observation {
  readonly session: Session;
  readonly server: ServerState;
  /** Another machine's session, or a sandbox's view: never judged, signalled or resumed from here. */
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
  /** How many of them no command has taken into the registry yet. */
  readonly waiting: number;
  /** False for an agent that tells nothing by hooks: its composer alone says that it is up. */
  readonly hooksExpected: boolean;
  readonly stateFile: StateFileFact | undefined;
}

export interface ObserveOptions {
  /** How many of each session's hook events are read, from the newest; default all that are kept. */
  readonly newestEvents?: number;
  /** `needed`: only screens of sessions whose files do not tell enough. Default `all`. */
  readonly screens?: 'all' | 'needed';
  /** Ask the server even when nothing is recorded of it: a registry may have been lost. */
  readonly alwaysAsk?: boolean;
}

/** Sessions, and the server that they run on, as one look found them. */
export interface FleetLook {
  /** In the order of the sessions. */
  readonly observations: readonly Observation[];
  readonly server: ServerState;
  /** Every pane of our server, whoever made it. */
  readonly panes: readonly PaneLook[];
}

export async function observe(
  context: ReadContext,
  sessions: readonly Session[],
  options: ObserveOptions = {},
): Promise<readonly Observation[]> {
  return (await observeFleet(context, sessions, options)).observations;
}

/** Looks at sessions: files first, then tmux once for all of them. Changes nothing. */
export async function observeFleet(
  context: ReadContext,
  sessions: readonly Session[],
  options: ObserveOptions = {},
): Promise<FleetLook> {
  const found = sessions.map((session) => gatherFacts(context, session, options));
  const record = context.readRegistry((reader) => reader.tmuxServer());
  const running = found.filter(({ session }) => session.status === 'running' && session.tmux);
  const nowMs = context.clock.nowMs();
  const captured = running
    .filter((facts) => options.screens !== 'needed' || needsScreen(facts, nowMs))
    .flatMap(({ session }) => session.tmux?.paneId ?? []);
  // A recorded server is looked at without sessions too: not asked is no answer.
  const look: ServerLook =
    running.length === 0 && !record && !options.alwaysAsk
      ? { server: 'none', reason: 'no session runs' }
      : await context.multiplexer.look(captured);
  const server = serverState(context, look, record, running.length > 0);
  const panes = look.server === 'up' ? look.panes : [];
  const panesById = new Map(panes.map((pane) => [pane.paneId, pane]));
  const observations = found.map((facts) =>
    withPane(context, facts, server, findPane(panesById, facts.session)),
  );
  return { observations, server, panes };
}

export async function observeSession(context: ReadContext, session: Session): Promise<Observation> {
  const [observation] = await observe(context, [session]);
  if (!observation) throw new TypeError('observe returned nothing');
  return observation;
}

/** A server that does not answer is gone only when its process is proven gone. */
export function serverState(
  context: Pick<ReadContext, 'processes'>,
  look: ServerLook,
  record: TmuxServerRecord | undefined,
  anyRunning: boolean,
): ServerState {
  if (look.server === 'up') return 'up';
  if (!record) return 'none';
  if (canSeePids(context, record) && context.processes.isAlive(record.process)) {
    return 'unreachable';
  }
  return anyRunning ? 'gone' : 'none';
}

/** What files and the process table say of a session, before tmux is asked. */
type Facts = Omit<Observation, 'server' | 'pane' | 'screen' | 'reading' | 'isRemote'>;

function gatherFacts(
  context: ReadContext,
  session: Session,
  { newestEvents }: ObserveOptions,
): Facts {
  const adapter = context.adapters.get(session.agent);
  const folder = workspacePaths.launch(context.workspace, session.launch);
  const isRunning = session.status === 'running';
  // The registry has it once the agent was up; before that, its launch folder.
  const agent = isRunning
    ? (session.agentProcess ?? readIdentityFile(context.files, `${folder}/agent`))
    : undefined;
  const info =
    agent && canSeePids(context, session) ? context.processes.find(agent.pid) : undefined;
  const agentAlive = agent !== undefined && isLiving(info, agent);
  const { events, waiting } = isRunning
    ? allEvents(context, session, newestEvents)
    : { events: [], waiting: 0 };
  return {
    session,
    agent,
    agentAlive,
    inForeground: agentAlive && info !== undefined && info.processGroup === info.foregroundGroup,
    agentState: agentAlive ? info?.state : undefined,
    exit: isRunning && !agentAlive ? readExit(context.files, folder) : undefined,
    hooksExpected: adapter.card.readyHook && !session.adopted,
    events,
    waiting,
    stateFile: agentAlive && agent ? readStateFile(context, session, agent) : undefined,
  };
}

/**
 * An idle agent that said so by its hook, or one with a state file, is known without its screen; a limit
 * is not: whether it still holds stands there only.
 */
function needsScreen({ events, stateFile, agentAlive }: Facts, nowMs: number): boolean {
  if (!agentAlive) return false;
  const hook = foldFacts(events);
  if (!hook) return true;
  const hasFile = stateFile !== undefined && hook.state !== 'limited';
  const isSettled = hook.state === 'idle' || hasFile;
  return !isSettled && !isYoung(hook, nowMs);
}

function withPane(
  context: ReadContext,
  facts: Facts,
  server: ServerState,
  found: PaneLook | undefined,
): Observation {
  const { session } = facts;
  const pane = session.status === 'running' ? found : undefined;
  const screen = pane?.captured === undefined ? undefined : toScreen(pane, pane.captured);
  const reading = screen && context.adapters.get(session.agent).readScreen(screen);
  const isRemote = isElsewhere(context, session, pane !== undefined);
  return { ...facts, server, isRemote, pane, screen, reading };
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
  context: ReadContext,
  session: Session,
  agent: ProcessIdentity,
): StateFileFact | undefined {
  const adapter = context.adapters.get(session.agent);
  const { stateFile } = adapter;
  const folder = storeFolderOf(context, adapter, session);
  const text = stateFile && context.files.readText(stateFile.path(folder, agent.pid));
  const fact = text === undefined ? undefined : stateFile?.parse(text);
  const isTheirs =
    fact?.pid === agent.pid && (fact.pidStart === undefined || fact.pidStart === agent.startTicks);
  return isTheirs ? fact : undefined;
}
