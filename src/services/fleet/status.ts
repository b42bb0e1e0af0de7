import type { Activity, HookProof } from '../../domain/activity.ts';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { ServerState } from '../../ports/fleet-care.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import { isRecorded } from '../agent-hooks/install-record.ts';
import { deriveActivity } from './activity.ts';
import { afterwards } from './afterwards.ts';
import type { ReadContext } from './context.ts';
import { depthOf } from './depth.ts';
import { type Observation, observe } from './observe.ts';
import { paneRecord } from './pane-record.ts';

/** The last event that tells a state is nearly always among these; else all are read. */
const NEWEST_EVENTS = 2;

export interface SessionStatusView {
  readonly session: Session;
  readonly activity: Activity;
  /** Null where nothing can be said: it does not run, was not looked at, or has had no turn. */
  readonly hooks: HookProof | null;
  readonly depth: number;
  readonly agentStartedAt: Date | null;
  /** The pane as it is now; undefined when there is none. */
  readonly pane: PaneLook | undefined;
  readonly observation: Observation;
}

/** What is told of a session, without the evidence. */
export type SessionView = Omit<SessionStatusView, 'observation'>;

export interface FleetStatus {
  readonly server: ServerState;
  /** Hook events that no command has taken into the registry yet. */
  readonly pendingEvents: number;
  readonly sessions: readonly SessionStatusView[];
}

/** What runs, with evidence. Writes nothing. @throws {MamError} `session.unknown` */
export async function fleetStatus(context: ReadContext, name?: string): Promise<FleetStatus> {
  const all = context.readRegistry((reader) => reader.sessions());
  const wanted = name === undefined ? all : [getSession(context, name)];
  const looked = { newestEvents: NEWEST_EVENTS, screens: 'needed' } as const;
  const observations = await observe(context, wanted, looked);
  const now = context.clock.nowMs();
  const sessions = observations.map((observation) => view(context, observation, now));
  return {
    server: observations[0]?.server ?? 'none',
    pendingEvents: observations.reduce((sum, { waiting }) => sum + waiting, 0),
    sessions,
  };
}

/**
 * How sessions stand after a command that is done: where they cannot be looked at, that is a warning and
 * they are told as they were recorded.
 */
export async function lookAfterwards(
  context: ReadContext,
  sessions: readonly Session[],
): Promise<readonly SessionView[]> {
  const seen = await afterwards(context, 'The sessions could not be looked at afterwards', () =>
    fleetStatus(context),
  );
  return sessions.map(
    (session) =>
      seen?.sessions.find((each) => each.session.id === session.id) ??
      recordedView(context, session),
  );
}

function recordedView(context: ReadContext, session: Session): SessionView {
  return {
    session,
    activity: { state: 'unknown', source: 'process', confidence: 'low' },
    hooks: null,
    depth: depthOf(context, session),
    agentStartedAt: null,
    pane: undefined,
  };
}

function view(context: ReadContext, observation: Observation, nowMs: number): SessionStatusView {
  const { session: stored, pane, agent } = observation;
  const activity = deriveActivity(observation, nowMs, context.settings.activity.staleMs);
  // What the registry has not been told yet is read into the answer.
  const session =
    pane && agent && stored.agentProcess === null
      ? { ...stored, agentProcess: agent, pane: paneRecord(context, pane, agent) }
      : stored;
  const { agentProcess } = session;
  const agentStartedAt = agentProcess ? context.processes.startedAt(agentProcess) : null;
  const [hooks, depth] = [hookProof(context, observation), depthOf(context, session)];
  return { session, activity, hooks, depth, agentStartedAt, pane, observation };
}

function hookProof(context: ReadContext, seen: Observation): HookProof | null {
  if (!seen.agentAlive) return null;
  if (seen.events.length > 0) return 'heard';
  if (seen.hooksExpected) return 'silent';
  if (!isRecorded(context, seen.session.agent)) return 'none';
  // Installed ones have no reason to tell anything before the first turn.
  return seen.session.prompted ? 'silent' : null;
}

/** By name, or by id. @throws {MamError} `session.unknown`, with the names there are. */
export function getSession(context: ReadContext, name: string): Session {
  const found = context.readRegistry(
    (reader) => reader.findSession(name) ?? reader.findSessionById(name),
  );
  if (found) return found;
  const names = context.readRegistry((reader) => reader.sessions().map((session) => session.name));
  const known = names.length === 0 ? 'There are none yet.' : `There are: ${names.join(', ')}.`;
  throw new MamError(
    'session.unknown',
    `There is no session "${name}" in ${context.workspace.root}. ${known}`,
    { session: name, known: names },
    { hint: names.length === 0 ? 'mam create NAME --agent demo --role creator' : 'mam status' },
  );
}
