import type { Delivery } from '../domain/delivery.ts';
import type { HookEvent } from '../domain/hook-fact.ts';
import type { Launch, Operation } from '../domain/launch.ts';
import type { MonitorTerm } from '../domain/monitor-term.ts';
import type { AgentIdentity, Session, TmuxServerRecord } from '../domain/session.ts';

/** The registry as one transaction sees it. Synchronous: nothing slow may happen in a transaction. */
export interface RegistryReader {
  /** Grows by one with each commit. */
  revision(): number;
  sessions(): readonly Session[];
  /** By name, after case folding and tmux's replacements. */
  findSession(name: string): Session | undefined;
  findSessionById(id: string): Session | undefined;
  /** The session that owns a conversation now or owned it before. */
  findConversationOwner(agent: string, conversationId: string): Session | undefined;
  findLaunch(id: string): Launch | undefined;
  /** Every launch of a session, oldest first. */
  launches(sessionId: string): readonly Launch[];
  /** Launches that are `reserved` or `spawned`: somebody is at them, or was. */
  unfinishedLaunches(): readonly Launch[];
  /** Launches that are not `ended`. */
  openLaunches(): readonly Launch[];
  findOperation(sessionId: string): Operation | undefined;
  operations(): readonly Operation[];
  findDelivery(id: string): Delivery | undefined;
  /** Deliveries of a session, oldest first; `open`: only those that are not settled. */
  deliveries(sessionId: string, options?: { readonly open: boolean }): readonly Delivery[];
  /** Hook events of a launch, in order. */
  hookEvents(launch: string): readonly HookEvent[];
  /** Those of many launches in one query; only the `newest` of each when that is given. */
  hookEventsOf(
    launches: readonly string[],
    newest?: number,
  ): ReadonlyMap<string, readonly HookEvent[]>;
  tmuxServer(): TmuxServerRecord | undefined;
  monitorTerm(): MonitorTerm | undefined;
  identities(): readonly AgentIdentity[];
}

export interface RegistryTransaction extends RegistryReader {
  /**
   * Inserts or changes a session.
   *
   * @throws {MamError} `role.immutable`, `session.wrong-state`, `conversation.claimed`, `name.taken`.
   */
  putSession(session: Session): void;
  deleteSession(id: string): void;
  /** @throws {MamError} `name.taken` when another launch holds the name. */
  putLaunch(launch: Launch): void;
  deleteLaunch(id: string): void;
  /** Every launch of a session, with its hook events. */
  deleteLaunches(sessionId: string): void;
  putOperation(operation: Operation): void;
  deleteOperation(sessionId: string): void;
  putDelivery(delivery: Delivery): void;
  deleteDeliveries(sessionId: string): void;
  /** Forgets all but the newest `keep` settled deliveries of a session, once a tenth more is there. */
  trimDeliveries(sessionId: string, keep: number): void;
  /** @returns Whether it was new: a second drainer inserts nothing. */
  addHookEvent(launch: string, event: HookEvent): boolean;
  /** The same for the events of a launch; the newest start of a conversation stays. */
  trimHookEvents(launch: string, keep: number): void;
  /** Forgets the events of a session's ended launches, but for those that a delivery still needs. */
  forgetEndedEvents(sessionId: string): void;
  setTmuxServer(server: TmuxServerRecord | undefined): void;
  rememberIdentity(identity: AgentIdentity): void;
}

export interface Registry {
  /** Journal mode in force. */
  readonly mode: 'wal' | 'delete';
  read<T>(fn: (reader: RegistryReader) => T): T;
  /**
   * The only way to change the registry: takes the write lock first, so a read in `fn` is never
   * stale, and commits when `fn` returns. The commit is the acknowledgement.
   *
   * @throws {MamError} `registry.busy` after 5 s, `registry.unwritable`, `registry.damaged`, and what
   *   the validation of a changed row throws; then nothing was changed.
   */
  update<T>(fn: (transaction: RegistryTransaction) => T): T;
  /**
   * Changes who is the monitor. That is no part of the fleet: no revision is counted, no face written.
   *
   * @param fn - Given the term that stands, gives the one that shall; undefined ends it.
   * @returns What stands now.
   * @throws {MamError} As `update`.
   */
  changeMonitorTerm(
    fn: (present: MonitorTerm | undefined) => MonitorTerm | undefined,
  ): MonitorTerm | undefined;
  /**
   * Writes the database anew, so that nothing that was deleted or overwritten can be read from its files.
   *
   * @throws {MamError} `registry.busy`, `registry.unwritable`; the rows are as they were.
   */
  scrub(): void;
  close(): void;
}

/** The registry's readable face. */
export interface RegistryFace {
  /** Brings the YAML file up to the registry's revision; leaves an edited one alone, set aside. */
  write(): Promise<FaceReport>;
  /** The same, and no file beside it holds a former face. @throws when they could not be removed. */
  writeAndForget(): Promise<FaceReport>;
}

export interface FaceReport {
  /** Where a file edited by hand was put, and why. */
  readonly setAside?: { readonly path: string; readonly reason: string };
}
