import type { ProcessIdentity } from '../../domain/owner.ts';
import type { PaneRecord } from '../../domain/session.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import type { ReadContext } from './context.ts';

/** The pane's processes as they are now: its own, the agent, and the agent's children. */
export function paneRecord(
  { processes }: Pick<ReadContext, 'processes'>,
  pane: PaneLook,
  agent: ProcessIdentity | null,
): PaneRecord {
  const info = processes.find(pane.panePid);
  const identity = { pid: pane.panePid, startTicks: info?.startTicks ?? '' };
  const below = agent ? processes.list().filter(({ ppid }) => ppid === agent.pid) : [];
  const own = agent ? [processes.find(agent.pid)].flatMap((found) => found ?? []) : [];
  return {
    index: pane.paneIndex,
    pid: pane.panePid,
    pidStartTicks: identity.startTicks,
    pidStartedAt: processes.startedAt(identity).toISOString(),
    cmdFull: agent ? processes.commandLine(agent.pid) : '',
    children: [...own, ...below].map((child) => ({
      pid: child.pid,
      startTicks: child.startTicks,
      startedAt: processes.startedAt(child).toISOString(),
      cmd: processes.commandLine(child.pid),
    })),
  };
}
