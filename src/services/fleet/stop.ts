import { crashPoint } from '../../base/crash-point.ts';
import { isSettled, mayBeTyped } from '../../domain/delivery.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import { isoNow } from '../../ports/clock.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import type { FleetContext } from './context.ts';
import { readiness } from './delivery/readiness.ts';
import { takeNumber } from './dialogs.ts';
import { readExit } from './launch-folder.ts';
import { type Observation, observeSession } from './observe.ts';
import { beginOperation, type HeldOperation } from './operations.ts';
import { type PurgeReport, purgeConversation } from './purge.ts';
import { screenText } from './screen-text.ts';
import { type SessionProcesses, sessionProcesses } from './session-processes.ts';
import { drainSpool } from './spool.ts';

/** The stages after the agent's own word, milliseconds (docs/cli.md, stop). */
const HANG_UP_MS = 5_000;
const TERM_MS = 2_000;
const KILL_MS = 10_000;
const POLL_MS = 40;
/** The pause between typing the agent's word and Enter; completion menus need it. */
const EMPTY_TWICE_GAP_MS = 20;

export type EndedBy = 'exit' | 'term' | 'kill-session' | 'signal';

export interface StopRequest {
  readonly graceMs: number;
  readonly purge: boolean;
}

export interface StopReport {
  readonly session: Session;
  readonly endedBy: EndedBy | null;
  /** How far "nothing is left" is proven; null when it was not running. */
  readonly proof: 'subreaper' | 'trace' | null;
  readonly survivors: readonly StoppedProcess[];
  /** Met and left alone, with the reason. */
  readonly left: readonly StoppedProcess[];
  readonly wasRunning: boolean;
  readonly purge: PurgeReport | null;
}

export interface StoppedProcess {
  readonly pid: number;
  readonly cmd: string;
  readonly reason?: 'shared';
}

/**
 * Ends a session's processes and says how far that is proven. Twice-safe: one that is not running is
 * reported as such.
 */
export async function stop(
  context: FleetContext,
  session: Session,
  request: StopRequest,
): Promise<StopReport> {
  const operation = beginOperation(context, session, request.purge ? 'purge' : 'stop');
  try {
    const current =
      context.registry.read((reader) => reader.findSessionById(session.id)) ?? session;
    const report =
      current.status === 'running'
        ? await new Stopping(context, operation, current).run(request.graceMs)
        : notRunning(current);
    if (!request.purge || report.survivors.length > 0) return report;
    return purge(context, operation, report);
  } finally {
    operation.end();
    await endEmptyServer(context);
  }
}

function notRunning(session: Session): StopReport {
  const nothing = { survivors: [], left: [], wasRunning: false, purge: null } as const;
  return { session, endedBy: null, proof: null, ...nothing };
}

function purge(context: FleetContext, operation: HeldOperation, report: StopReport): StopReport {
  const purged = purgeConversation(context, report.session);
  const session = operation.update((tx) => {
    const current = tx.findSessionById(report.session.id) ?? report.session;
    const at = isoNow(context.clock);
    const ended = {
      reason: 'purged',
      exitCode: current.ended?.exitCode ?? null,
      at,
      by: 'user',
    } as const;
    const changed: Session = {
      ...current,
      status: 'terminated',
      resumable: false,
      lastScreen: null,
      ended,
    };
    tx.putSession(changed);
    tx.deleteDeliveries(current.id);
    return changed;
  });
  context.files.remove(workspacePaths.launch(context.workspace, session.launch));
  return { ...report, session, purge: purged };
}

/** Whoever ends the last session ends the server: a monitor would hold a keeper session there. */
async function endEmptyServer(context: FleetContext): Promise<void> {
  const { registry, multiplexer } = context;
  const isBusy = registry.read(
    (reader) =>
      reader.sessions().some(({ status }) => status === 'running') ||
      reader.openLaunches().some(({ state }) => state === 'reserved'),
  );
  const server = registry.read((reader) => reader.tmuxServer());
  if (isBusy || !server) return;
  if (await multiplexer.killServerIfEmpty()) registry.update((tx) => tx.setTmuxServer(undefined));
}

/** One stop, stage by stage. Each stage ends early when nothing is left. */
class Stopping {
  readonly #context: FleetContext;
  readonly #operation: HeldOperation;
  readonly #session: Session;
  readonly #seen = new Map<number, ProcessIdentity>();
  readonly #folder: string;
  /** The recorder was there, and adopting, when it was told to stay until nothing is left. */
  #recorderStays = false;

  constructor(context: FleetContext, operation: HeldOperation, session: Session) {
    this.#context = context;
    this.#operation = operation;
    this.#session = session;
    this.#folder = workspacePaths.launch(context.workspace, session.launch);
  }

  async run(graceMs: number): Promise<StopReport> {
    const seen = await observeSession(this.#context, this.#session);
    this.#storeScreen(seen);
    this.#refuseQueued();
    crashPoint('stop.1');
    // The recorder stays the parent of what the agent leaves until we are done.
    this.#context.files.write(`${this.#folder}/stopping`, '', 0o600);
    this.#recorderStays = this.#look().proof === 'subreaper' && this.#exit() === undefined;
    const wasAlive = seen.agentAlive;
    const word = await this.#askToEnd(seen, graceMs);
    crashPoint('stop.2');
    const endedByWord = wasAlive && (await this.#agentEnded(seen, graceMs));
    if (seen.pane) {
      const { sessionId } = seen.pane;
      await this.#context.multiplexer.killSession(sessionId, this.#session.launch);
    }
    const hungUp = await this.#until(HANG_UP_MS);
    crashPoint('stop.3');
    if (!hungUp) await this.#signalAll();
    const endedBy: EndedBy = endedByWord ? word : hungUp ? 'kill-session' : 'signal';
    return this.#finish(wasAlive ? endedBy : null);
  }

  /** Before anything is typed: what the screen last showed. */
  #storeScreen(seen: Observation): void {
    const stored = this.#context.files.readText(`${this.#folder}/screen`);
    const text = seen.exit && stored !== undefined ? stored : screenText(seen.screen);
    if (text === '') return;
    const lastScreen = text.replaceAll(/\x1b\[[\d;:?]*[A-Za-z]/g, '').trimEnd();
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

  /** Its own word only where a delivery would type as well; else TERM. */
  async #askToEnd(seen: Observation, graceMs: number): Promise<'exit' | 'term'> {
    if (!seen.agentAlive || !seen.agent) return 'exit';
    const verdict = readiness(seen, this.#context.clock.nowMs());
    if (graceMs > 0 && verdict.kind === 'ready' && (await this.#typeQuit())) return 'exit';
    const target = this.#termTarget(seen.agent);
    if (seen.agentState === 'T') this.#context.processes.signal(target, 'SIGCONT');
    this.#context.processes.signal(target, 'SIGTERM');
    return 'term';
  }

  #termTarget(agent: ProcessIdentity): ProcessIdentity {
    const { processes, adapters } = this.#context;
    if (adapters.get(this.#session.agent).card.termTarget === 'agent') return agent;
    return processes.list().find(({ ppid }) => ppid === agent.pid) ?? agent;
  }

  async #typeQuit(): Promise<boolean> {
    const { adapters, multiplexer, clock, signal } = this.#context;
    const adapter = adapters.get(this.#session.agent);
    const paneId = this.#session.tmux?.paneId ?? '';
    const { text, via } = adapter.card.quit;
    const number = takeNumber(this.#operation, this.#session);
    const launchId = this.#session.launch;
    const bracketed = via === 'paste';
    const typed = await multiplexer.paste({ paneId, launchId, number, text, bracketed });
    if (typed !== 'done') return false;
    await clock.sleep(adapter.card.enterDelayMs, signal);
    const seen = await observeSession(this.#context, this.#session);
    const holds = seen.reading?.composer?.text.trim() === text;
    if (!holds || !seen.pane) return false;
    const { cursor } = seen.pane;
    return (
      (await multiplexer.press({ paneId, key: 'Enter', mark: number * 10 + 1, cursor })) === 'done'
    );
  }

  async #agentEnded({ agent }: Observation, graceMs: number): Promise<boolean> {
    const { clock, processes, signal } = this.#context;
    const deadline = clock.monotonicMs() + graceMs;
    while (agent && processes.isAlive(agent)) {
      if (clock.monotonicMs() >= deadline) return false;
      this.#look();
      await clock.sleep(POLL_MS, signal);
    }
    return true;
  }

  /** True when nothing is left before the time is over. */
  async #until(timeoutMs: number): Promise<boolean> {
    const { clock, signal } = this.#context;
    const deadline = clock.monotonicMs() + timeoutMs;
    for (;;) {
      if (this.#look().members.length === 0) {
        await clock.sleep(EMPTY_TWICE_GAP_MS, signal);
        if (this.#look().members.length === 0) return true;
      }
      if (clock.monotonicMs() >= deadline) return false;
      await clock.sleep(POLL_MS, signal);
    }
  }

  /** TERM once; then freeze and kill all, in rounds, so that nothing can be born in between. */
  async #signalAll(): Promise<void> {
    const { clock, processes } = this.#context;
    for (const member of this.#look().members) processes.signal(member, 'SIGTERM');
    if (await this.#until(TERM_MS)) return;
    const deadline = clock.monotonicMs() + KILL_MS;
    do {
      for (const member of this.#look().members) processes.signal(member, 'SIGSTOP');
      for (const member of this.#look().members) processes.signal(member, 'SIGKILL');
      if (await this.#until(POLL_MS)) return;
    } while (clock.monotonicMs() < deadline);
  }

  #exit() {
    return readExit(this.#context.files, this.#folder);
  }

  #look(): SessionProcesses {
    const found = sessionProcesses(this.#context, this.#session, [...this.#seen.values()]);
    for (const { pid, startTicks } of found.members) this.#seen.set(pid, { pid, startTicks });
    return found;
  }

  #finish(endedBy: EndedBy | null): StopReport {
    const found = this.#look();
    const describe = (info: ProcessInfo): StoppedProcess => ({
      pid: info.pid,
      cmd: this.#context.processes.commandLine(info.pid),
    });
    const survivors = found.members.map(describe);
    const left = found.left.map((info) => ({ ...describe(info), reason: 'shared' as const }));
    const hasRecord = this.#exit() !== undefined;
    const session = survivors.length > 0 ? this.#session : this.#recordStopped(endedBy);
    // A recorder that was told to stay ends, with its record, only when it has no child left.
    const attested = this.#recorderStays && (found.proof === 'subreaper' || hasRecord);
    const proof = attested ? 'subreaper' : 'trace';
    return { session, endedBy, proof, survivors, left, wasRunning: endedBy !== null, purge: null };
  }

  #recordStopped(endedBy: EndedBy | null): Session {
    const { clock, files, registry } = this.#context;
    const exit = this.#exit();
    drainSpool(this.#context, this.#session, this.#session.launch);
    crashPoint('stop.4');
    const session = this.#operation.update((tx) => {
      const current = tx.findSessionById(this.#session.id) ?? this.#session;
      const at = isoNow(clock);
      const reason = endedBy === null ? 'had ended before the stop' : `stopped (${endedBy})`;
      const exitCode = exit?.status ?? null;
      const stopped: Session = {
        ...current,
        status: 'stopped',
        stoppedAt: at,
        ended: { reason, exitCode, at, by: 'user' },
        tmux: null,
        pane: null,
        agentProcess: null,
      };
      tx.putSession(stopped);
      const launch = tx.findLaunch(current.launch);
      if (launch) tx.putLaunch({ ...launch, state: 'ended', endedAt: at });
      return stopped;
    });
    crashPoint('stop.5');
    const hasTyped = registry
      .read((reader) => reader.deliveries(session.id))
      .some((delivery) => delivery.launch === session.launch && !isSettled(delivery));
    if (!hasTyped) files.remove(this.#folder);
    else files.remove(`${this.#folder}/stopping`);
    return session;
  }
}
