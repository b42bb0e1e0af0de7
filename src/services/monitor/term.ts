import { MamError } from '../../domain/errors.ts';
import { isTermElsewhere, MONITOR_TERM_MS, type MonitorTerm } from '../../domain/monitor-term.ts';
import { isSameOwner } from '../../domain/owner.ts';
import type { RegistryReader } from '../../ports/registry.ts';
import type { MonitorContext } from './context.ts';

type TermContext = Pick<MonitorContext, 'registry' | 'processes' | 'clock' | 'workspace'>;

/**
 * Takes or renews the term for this process.
 *
 * @throws {MamError} `monitor.elsewhere`, naming the holder.
 */
export function holdTerm(context: TermContext, hostName: string): void {
  const { registry, processes, clock } = context;
  const nowMs = clock.nowMs();
  const own = { owner: processes.self, hostName, deadlineMs: nowMs + MONITOR_TERM_MS };
  const held = registry.changeMonitorTerm((present) =>
    isTermElsewhere(present, processes, nowMs) ? present : own,
  );
  if (held !== own) throw elsewhere(context, held ?? own);
}

/** @throws {MamError} `monitor.elsewhere` */
export function assertTermFree(
  context: Pick<MonitorContext, 'processes' | 'clock' | 'workspace'>,
  reader: RegistryReader,
): void {
  const present = reader.monitorTerm();
  if (isTermElsewhere(present, context.processes, context.clock.nowMs())) {
    throw elsewhere(context, present);
  }
}

/** Twice-safe. */
export function endTerm({ registry, processes }: TermContext): void {
  registry.changeMonitorTerm((present) =>
    present && isSameOwner(present.owner, processes.self) ? undefined : present,
  );
}

function elsewhere({ workspace }: Pick<MonitorContext, 'workspace'>, term: MonitorTerm): MamError {
  const { hostName, owner, deadlineMs } = term;
  const until = new Date(deadlineMs).toISOString();
  return new MamError(
    'monitor.elsewhere',
    `The monitor of ${workspace.root} is process ${owner.pid} on "${hostName}", another machine or container.`,
    { host: hostName, pid: owner.pid, until },
    { hint: `mam monitor stop there; if it is gone, this one can begin after ${until}.` },
  );
}
