import type { Settings } from '../../domain/settings.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Files } from '../../ports/files.ts';
import type { FleetCare } from '../../ports/fleet-care.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ProcessTable } from '../../ports/process-table.ts';
import type { Registry } from '../../ports/registry.ts';

/** What the monitor needs; whatever concerns a session goes through `care`. */
export interface MonitorContext {
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly care: FleetCare;
  readonly processes: ProcessTable;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when it is to end. */
  readonly signal: AbortSignal;
}
