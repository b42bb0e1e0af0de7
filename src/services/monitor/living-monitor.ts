import { isMamError } from '../../domain/errors.ts';
import type { ProcessIdentity } from '../../domain/owner.ts';
import { type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { Files } from '../../ports/files.ts';
import type { ProcessTable } from '../../ports/process-table.ts';

/**
 * The process that is the monitor of this workspace and lives now; its state file is believed only then.
 * Read without its schema: `status` asks at every call.
 */
export function livingMonitor(
  { files, processes }: { readonly files: Files; readonly processes: ProcessTable },
  workspace: Workspace,
): ProcessIdentity | undefined {
  const found = parse(readState(files, workspacePaths.monitor(workspace)));
  const { self } = processes;
  if (found?.boot !== self.boot || found.pid_namespace !== self.pidNamespace) return undefined;
  const identity = { pid: Number(found.pid), startTicks: String(found.start_ticks) };
  // Any file may name any process: only one that is a monitor is believed, and ever signalled.
  const isMonitor = MONITOR_COMMAND.test(processes.commandLine(identity.pid));
  return isMonitor && processes.isAlive(identity) ? identity : undefined;
}

/** As `mam monitor start` and a person start it. */
const MONITOR_COMMAND = / monitor run(?: |$)/;

/** A folder or what else lies in its place tells of no monitor; `status` goes on. */
function readState(files: Files, path: string): string | undefined {
  try {
    return files.readText(path);
  } catch (error) {
    if (!isMamError(error, 'file.unreadable')) throw error;
    return undefined;
  }
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}
