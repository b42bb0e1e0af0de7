import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import type { FleetContext } from './context.ts';
import { type SessionProcesses, sessionProcesses } from './session-processes.ts';

/** How long after TERM, and how long the rounds of STOP and KILL, milliseconds (docs/cli.md, stop). */
const TERM_MS = 2_000;
const KILL_MS = 10_000;
const POLL_MS = 40;
/** Rounds in which nobody took a signal, until they are taken for another user's. */
const UNTAKEN_ROUNDS = 10;
/** Between the two looks that must both find nothing. */
const EMPTY_TWICE_GAP_MS = 20;
/** Looks for two that agree on what is left, until the last counts: some program may hide its command line. */
const AGREEING_LOOKS = 50;

/**
 * The processes of one launch, over several looks: one that was seen once stays known by pid and start
 * time, even when it has since left every trace of the launch behind.
 */
export class LaunchProcesses {
  readonly #context: FleetContext;
  readonly #session: Session;
  readonly #seen = new Map<number, ProcessIdentity>();

  constructor(context: FleetContext, session: Session) {
    this.#context = context;
    this.#session = session;
  }

  look(): SessionProcesses {
    const found = sessionProcesses(this.#context, this.#session, [...this.#seen.values()]);
    for (const { pid, startTicks } of found.members) this.#seen.set(pid, { pid, startTicks });
    return found;
  }

  /**
   * What is left, by looks that agree: a process that is just becoming another program, or just ending, has
   * no command line, by which the recorder's own sleep is told from what the agent left.
   */
  async survivors(): Promise<SessionProcesses> {
    let last = this.look();
    for (let looks = 1; last.members.length > 0 && looks < AGREEING_LOOKS; looks++) {
      await this.#context.clock.sleep(EMPTY_TWICE_GAP_MS);
      const now = this.look();
      if (pids(now) === pids(last) && this.#haveCommands(now)) return now;
      last = now;
    }
    return last;
  }

  #haveCommands({ members }: SessionProcesses): boolean {
    return members.every(({ pid }) => this.#context.processes.commandLine(pid) !== '');
  }

  /** True when nothing is left, seen twice, before the time is over. */
  async awaitNone(timeoutMs: number): Promise<boolean> {
    const { clock, signal } = this.#context;
    const deadline = clock.monotonicMs() + timeoutMs;
    for (;;) {
      if (this.#isEmpty()) {
        await clock.sleep(EMPTY_TWICE_GAP_MS, signal);
        if (this.#isEmpty()) return true;
      }
      if (clock.monotonicMs() >= deadline) return false;
      await clock.sleep(POLL_MS, signal);
    }
  }

  /**
   * TERM once; then freeze and kill all, in rounds, so that nothing can be born in between. Gives up
   * early on processes that take no signal from us: another user's.
   *
   * @returns Whether nothing is left.
   */
  async end(): Promise<boolean> {
    const { clock } = this.#context;
    this.#signal(this.look().members, 'SIGTERM');
    if (await this.awaitNone(TERM_MS)) return true;
    const deadline = clock.monotonicMs() + KILL_MS;
    for (let untaken = 0; ; ) {
      this.#signal(this.look().members, 'SIGSTOP');
      const members = this.look().members;
      const told = this.#signal(members, 'SIGKILL');
      if (await this.awaitNone(POLL_MS)) return true;
      // One that is just ending takes no signal either, and is gone in a moment.
      untaken = members.length > 0 && told === 0 ? untaken + 1 : 0;
      if (untaken === UNTAKEN_ROUNDS || clock.monotonicMs() >= deadline) return this.#isEmpty();
    }
  }

  #isEmpty(): boolean {
    return this.look().members.length === 0;
  }

  /** @returns How many of them took it. */
  #signal(members: readonly ProcessInfo[], name: NodeJS.Signals): number {
    const { processes } = this.#context;
    return members.filter((member) => processes.signal(member, name)).length;
  }
}

function pids({ members }: SessionProcesses): string {
  return members.map(({ pid }) => pid).join(' ');
}
