import { crashPoint } from '../../base/crash-point.ts';
import { isSettled, mayBeTyped } from '../../domain/delivery.ts';
import type { Launch } from '../../domain/launch.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import { isoNow } from '../../ports/clock.ts';
import type { ExitRecord } from '../../ports/fleet-care.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import { releaseConversations } from './claims.ts';
import type { FleetContext } from './context.ts';
import { drainSpool } from './drain.ts';
import { assertSeen } from './here.ts';
import { keepConversation } from './keep-conversation.ts';
import { readExit } from './launch-folder.ts';
import { LaunchProcesses } from './launch-processes.ts';
import { launchFolder } from './launch-records.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';
import { typeQuitWord } from './quit-word.ts';
import { plainText, screenText } from './screen-text.ts';
import { restoreSocket } from './server-reach.ts';
import { atRest, type FoundEnd, foundEnded, putEnded, wasAskedToEnd } from './session-end.ts';
import type { EndedBy, StoppedProcess, StopReport } from './stop.ts';

/** How long after the session was killed; the stages before and after are elsewhere (docs/cli.md, stop). */
const HANG_UP_MS = 5_000;
const POLL_MS = 40;

/** What a stop came to, before a purge. */
type EndReport = Omit<StopReport, 'formerStatus'>;

/** One stop, stage by stage. Each stage ends early when nothing is left. */
export class Stopping {
  readonly #context: FleetContext;
  readonly #operation: HeldOperation;
  readonly #session: Session;
  readonly #processes: LaunchProcesses;
  readonly #folder: string;
  /** The recorder was there, and adopting, when it was told to stay until nothing is left. */
  #recorderStays = false;
  /** The agent had ended before this stop. */
  #foundEnd: Omit<FoundEnd, 'exit'> | undefined;

  constructor(context: FleetContext, operation: HeldOperation, session: Session) {
    this.#context = context;
    this.#operation = operation;
    this.#session = session;
    this.#processes = new LaunchProcesses(context, session);
    this.#folder = launchFolder(context, session.launch);
  }

  async run(graceMs: number): Promise<EndReport> {
    const seen = await this.#lookAtSession();
    this.#storeScreen(seen);
    this.#refuseQueued();
    crashPoint('stop.1');
    if (hasEnded(seen)) this.#foundEnd = this.#describeEnd();
    this.#tellRecorder();
    const first = this.#processes.look();
    this.#recorderStays = first.proof === 'subreaper' && this.#exit() === undefined;
    const word = await this.#askToEnd(seen, graceMs);
    crashPoint('stop.2');
    const endedByWord = seen.agentAlive && (await this.#agentEnded(seen, graceMs));
    await this.#endPane(seen);
    this.#tell('tmux session killed');
    crashPoint('stop.killed');
    const hungUp = await this.#processes.awaitNone(HANG_UP_MS);
    crashPoint('stop.3');
    if (!hungUp) {
      this.#tell('processes are left: TERM, then KILL');
      await this.#processes.end();
    }
    const hadAny = seen.agentAlive || first.members.length > 0;
    const endedBy: EndedBy = endedByWord && hungUp ? word : hungUp ? 'kill-session' : 'signal';
    await keepConversation(this.#context, this.#session);
    return this.#finish(hadAny ? endedBy : null, seen.agentAlive);
  }

  #tell(step: string): void {
    this.#context.logger.debug(step, { session: this.#session.name });
  }

  /** A server that lost its socket is made to listen again: without it the pane could not be ended. */
  async #lookAtSession(): Promise<Observation> {
    const seen = await observeSession(this.#context, this.#session);
    const isBack = seen.server === 'unreachable' && (await restoreSocket(this.#context));
    const now = isBack ? await observeSession(this.#context, this.#session) : seen;
    assertSeen(now, 'stop');
    return now;
  }

  /** Before anything is typed: what the screen last showed. */
  #storeScreen(seen: Observation): void {
    const stored = this.#context.files.readText(`${this.#folder}/screen`);
    const lastScreen =
      seen.exit && stored !== undefined ? plainText(stored) : screenText(seen.screen);
    if (lastScreen === '') return;
    this.#operation.update((tx) => {
      const current = tx.findSessionById(this.#session.id);
      if (current) tx.putSession({ ...current, lastScreen });
    });
  }

  #refuseQueued(): void {
    this.#operation.update((tx) => {
      for (const delivery of tx.deliveries(this.#session.id)) {
        if (isSettled(delivery) || mayBeTyped(delivery)) continue;
        const reason = 'stopped: the session was stopped before it was typed';
        tx.putDelivery({ ...delivery, state: 'refused', reason, owner: null });
      }
    });
  }

  #describeEnd(): Omit<FoundEnd, 'exit'> {
    const wasAsked = wasAskedToEnd(this.#context.files, this.#folder);
    return { reason: 'had ended before the stop', wasAsked, by: 'user' };
  }

  /** The recorder stays the parent of what the agent leaves until we are done. */
  #tellRecorder(): void {
    const { files } = this.#context;
    const path = `${this.#folder}/stopping`;
    files.makeFolder(this.#folder);
    // The time of the first stop says whether the agent ended before or after it was asked to.
    if (!files.stat(path)) files.write(path, '', 0o600);
  }

  /** Its own word only where a delivery would type as well; else TERM. */
  async #askToEnd(seen: Observation, graceMs: number): Promise<'exit' | 'term'> {
    if (!seen.agentAlive || !seen.agent) return 'exit';
    const { processes } = this.#context;
    const isAsked =
      graceMs > 0 && (await typeQuitWord(this.#context, this.#operation, this.#session, seen));
    this.#tell(isAsked ? 'told to end by its own word' : 'told to end by TERM');
    if (isAsked) return 'exit';
    const target = this.#termTarget(seen.agent);
    if (seen.agentState === 'T') processes.signal(target, 'SIGCONT');
    processes.signal(target, 'SIGTERM');
    return 'term';
  }

  #termTarget(agent: ProcessIdentity): ProcessIdentity {
    const { processes, adapters } = this.#context;
    if (adapters.get(this.#session.agent).card.termTarget === 'agent') return agent;
    return processes.list().find(({ ppid }) => ppid === agent.pid) ?? agent;
  }

  async #agentEnded({ agent }: Observation, graceMs: number): Promise<boolean> {
    const { clock, processes, signal } = this.#context;
    const deadline = clock.monotonicMs() + graceMs;
    while (agent && processes.isAlive(agent)) {
      if (clock.monotonicMs() >= deadline) return false;
      this.#processes.look();
      await clock.sleep(POLL_MS, signal);
    }
    return true;
  }

  /** Through tmux; where it cannot be asked, the pane's own process, which dies of a hang-up. */
  async #endPane({ pane }: Observation): Promise<void> {
    const { multiplexer, processes } = this.#context;
    const { pane: recorded, launch } = this.#session;
    if (pane) await multiplexer.killSession(pane.sessionId, launch);
    else if (recorded) {
      const { pid, pidStartTicks: startTicks } = recorded;
      processes.signal({ pid, startTicks }, 'SIGHUP');
    }
  }

  #exit() {
    return readExit(this.#context.files, this.#folder);
  }

  async #finish(endedBy: EndedBy | null, wasRunning: boolean): Promise<EndReport> {
    const found = await this.#processes.survivors();
    const { survivors, left } = describe(this.#context, found);
    const hasRecord = this.#exit() !== undefined;
    const isOver = survivors.length === 0;
    const session = isOver ? this.#recordEnd(endedBy) : this.#session;
    if (isOver) await releaseConversations(this.#context, session.launch);
    // A recorder that was told to stay ends, with its record, only when it has no child left.
    const attested = this.#recorderStays && (found.proof === 'subreaper' || hasRecord);
    const proof = attested ? 'subreaper' : 'trace';
    return { session, endedBy, proof, survivors, left, wasRunning, purge: null };
  }

  #recordEnd(endedBy: EndedBy | null): Session {
    const { files, registry } = this.#context;
    drainSpool(this.#context, this.#session, this.#session.launch);
    crashPoint('stop.4');
    const exit = this.#exit();
    const session = this.#operation.update((tx) => {
      const current = tx.findSessionById(this.#session.id) ?? this.#session;
      const ended = this.#endOf(current, tx.findLaunch(current.launch), exit, endedBy);
      putEnded(tx, ended);
      return ended;
    });
    crashPoint('stop.5');
    const hasTyped = registry
      .read((reader) => reader.deliveries(session.id))
      .some((delivery) => delivery.launch === session.launch && !isSettled(delivery));
    if (!hasTyped) files.remove(this.#folder);
    else files.remove(`${this.#folder}/stopping`);
    return session;
  }

  #endOf(
    session: Session,
    launch: Launch | undefined,
    exit: ExitRecord | undefined,
    endedBy: EndedBy | null,
  ): Session {
    const { clock } = this.#context;
    if (this.#foundEnd) return foundEnded(session, launch, { ...this.#foundEnd, exit }, clock);
    const at = isoNow(clock);
    const reason = endedBy === null ? 'stopped' : `stopped (${endedBy})`;
    const ended = { reason, exitCode: exit?.status ?? null, at, by: 'user' } as const;
    return { ...atRest(session), status: 'stopped', stoppedAt: at, ended };
  }
}

function hasEnded({ agent, agentAlive, exit }: Observation): boolean {
  return exit !== undefined || (agent !== undefined && !agentAlive);
}

/** What a session that does not run left behind, for example after a start that failed. */
export async function endLeftovers(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
): Promise<EndReport> {
  takeNote(operation, session);
  const processes = new LaunchProcesses(context, session);
  const first = processes.look();
  const wasThere = first.members.length > 0;
  if (wasThere) await processes.end();
  await endKeptPanes(context, session);
  return {
    session,
    endedBy: wasThere ? 'signal' : null,
    proof: wasThere ? 'trace' : null,
    ...describe(context, await processes.survivors()),
    wasRunning: false,
    purge: null,
  };
}

/** Whoever found its end, a person has now asked for it: no policy brings it back. */
function takeNote(operation: HeldOperation, { id, launch }: Session): void {
  operation.update((tx) => {
    const current = tx.findSessionById(id);
    if (!current?.ended || current.launch !== launch || current.ended.by === 'user') return;
    tx.putSession({ ...current, ended: { ...current.ended, by: 'user' } });
  });
}

/** A pane that is kept shows what was said in it: to be looked at, until somebody stops the session. */
async function endKeptPanes({ multiplexer }: FleetContext, { launch }: Session): Promise<void> {
  const look = await multiplexer.look([]);
  const panes = look.server === 'up' ? look.panes : [];
  const kept = new Set(
    panes.flatMap((each) => (each.launchTag === launch ? [each.sessionId] : [])),
  );
  for (const sessionId of kept) await multiplexer.killSession(sessionId, launch);
}

function describe(
  { processes }: FleetContext,
  { members, left }: ReturnType<LaunchProcesses['look']>,
): { readonly survivors: StoppedProcess[]; readonly left: StoppedProcess[] } {
  const one = ({ pid }: ProcessInfo) => ({ pid, cmd: processes.commandLine(pid) });
  return {
    survivors: members.map(one),
    left: left.map((info) => ({ ...one(info), reason: 'shared' as const })),
  };
}
