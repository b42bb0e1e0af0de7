import type { HookEvent } from '../../domain/hook-fact.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Session } from '../../domain/session.ts';
import type { ScreenReading, StateFileFact } from '../../ports/agent-adapter.ts';
import type { Life, Terminal } from '../../ports/fleet-care.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import { foldFacts, isYoung } from './activity-facts.ts';
import type { ReadContext } from './context.ts';
import { storeFolderOf } from './conversations.ts';
import { askServer, findVitals, isInTmux, terminalOf } from './life.ts';
import { withLimitEnd } from './limit-end.ts';
import { allEvents } from './spool.ts';

/** What one look found of one session. Evidence only; what it means is said by `deriveActivity`. */
export interface Observation extends Life {
  /** Its process group holds the terminal: what is typed reaches it. */
  readonly inForeground: boolean;
  /** One letter of /proc/<pid>/stat; `T` is stopped. */
  readonly agentState: string | undefined;
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
  /** How many of each session's hook events are read first, from the newest; default all that are kept. */
  readonly newestEvents?: number;
  /** `needed`: only screens of sessions whose files do not tell enough. Default `all`. */
  readonly screens?: 'all' | 'needed';
}

/** Looks at sessions: files first, then tmux once for all of them. Changes nothing. */
export async function observe(
  context: ReadContext,
  sessions: readonly Session[],
  options: ObserveOptions = {},
): Promise<readonly Observation[]> {
  await context.adapters.load(sessions.map(({ agent }) => agent));
  const stored = storedEvents(context, sessions, options);
  const found = sessions.map((session) => gatherFacts(context, session, stored(session)));
  const running = found.filter(({ session }) => isInTmux(session));
  const nowMs = context.clock.nowMs();
  const capture = running
    .filter((facts) => options.screens !== 'needed' || needsScreen(facts, nowMs))
    .flatMap(({ session }) => session.tmux?.paneId ?? []);
  const look = await askServer(context, { anyRunning: running.length > 0, capture });
  return found.map((facts) =>
    withScreen(context, { ...facts, ...terminalOf(context, facts, look) }),
  );
}

export async function observeSession(context: ReadContext, session: Session): Promise<Observation> {
  const [observation] = await observe(context, [session]);
  if (!observation) throw new TypeError('observe returned nothing');
  return observation;
}

/** What files and the process table say of a session, before tmux is asked. */
type Facts = Omit<Observation, keyof Terminal | 'screen' | 'reading'>;

function gatherFacts(context: ReadContext, session: Session, stored: readonly HookEvent[]): Facts {
  const adapter = context.adapters.get(session.agent);
  const { info, ...vitals } = findVitals(context, session);
  const { agent, agentAlive } = vitals;
  const { events, waiting } =
    session.status === 'running' ? allEvents(context, session, stored) : { events: [], waiting: 0 };
  return {
    ...vitals,
    inForeground: agentAlive && info !== undefined && info.processGroup === info.foregroundGroup,
    agentState: agentAlive ? info?.state : undefined,
    hooksExpected: adapter.card.readyHook && !session.adopted,
    events: agentAlive ? withLimitEnd(context, session, events) : events,
    waiting,
    stateFile: agentAlive && agent ? readStateFile(context, session, agent) : undefined,
  };
}

/**
 * Events of running sessions that the registry has, read at once: the newest of each, or all of a session
 * of whose newest none tells a state.
 */
function storedEvents(
  context: ReadContext,
  sessions: readonly Session[],
  { newestEvents = Number.MAX_SAFE_INTEGER }: ObserveOptions,
): (session: Session) => readonly HookEvent[] {
  const launches = sessions
    .filter(({ status }) => status === 'running')
    .map(({ launch }) => launch);
  const found = context.readRegistry((reader) => reader.hookEventsOf(launches, newestEvents));
  return ({ launch }) => {
    const newest = found.get(launch) ?? [];
    const isEnough = newest.length < newestEvents || foldFacts(newest);
    return isEnough ? newest : context.readRegistry((reader) => reader.hookEvents(launch));
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

function withScreen(
  context: ReadContext,
  seen: Omit<Observation, 'screen' | 'reading'>,
): Observation {
  const { pane, session } = seen;
  const screen = pane?.captured === undefined ? undefined : toScreen(pane, pane.captured);
  const reading = screen && context.adapters.get(session.agent).readScreen(screen);
  return { ...seen, screen, reading };
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

/** The agent's own word, proven to be this process's. */
export function readStateFile(
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
