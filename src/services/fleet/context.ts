import type { Settings } from '../../domain/settings.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Claims } from '../../ports/claims.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Files } from '../../ports/files.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Multiplexer } from '../../ports/multiplexer.ts';
import type { ProcessTable } from '../../ports/process-table.ts';
import type { ProgramRunner } from '../../ports/program-runner.ts';
import type { Registry, RegistryReader } from '../../ports/registry.ts';

/** What looking at the fleet needs: nothing in it can change anything. */
export interface ReadContext {
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly adapters: AdapterSet;
  readonly multiplexer: Multiplexer;
  readonly processes: ProcessTable;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readRegistry: <T>(fn: (reader: RegistryReader) => T) => T;
  /** The caller's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly userFolder: string;
}

/** What changing it needs as well. */
export interface FleetContext extends ReadContext {
  readonly registry: Registry;
  readonly claims: Claims;
  readonly programs: ProgramRunner;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface AdapterSet {
  /** Of a session; one whose card is gone, or not loaded, tells nothing and takes nothing. */
  get(kind: string): AgentAdapter;
  /**
   * Of a name that somebody gave; a card is loaded before.
   *
   * @throws {MamError} `usage.invalid` for an agent nobody knows, with those that there are;
   *   `config.invalid` for one whose card is wrong, with line and column.
   */
  named(kind: string): AgentAdapter;
  /** Reads the cards of these agents, unless they are read and unchanged. */
  load(kinds: readonly string[]): Promise<void>;
  readonly kinds: readonly string[];
  /** Absolute path, or what stands for it, of a built-in program such as the demo agent. */
  builtIn(binary: string): readonly string[] | undefined;
}
