import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Files } from '../../ports/files.ts';
import type { ExitRecord } from '../../ports/fleet-care.ts';

/** @see src/assets/launcher.sh: "STATUS EPOCH_S HUNG_UP(0|1)" */
export function readExit(files: Files, launchFolder: string): ExitRecord | undefined {
  const found = /^(\d+) (\d+) ([01])\n?$/.exec(readSmall(files, `${launchFolder}/exit`));
  if (!found) return undefined;
  return { status: Number(found[1]), atMs: Number(found[2]) * 1000, hungUp: found[3] === '1' };
}

/** @see src/assets/launcher.sh: "PID STARTTICKS" */
export function readIdentityFile(files: Files, path: string): ProcessIdentity | undefined {
  const found = /^([1-9]\d{0,9}) (\d+)\n?$/.exec(readSmall(files, path));
  const pid = Number(found?.[1] ?? 0);
  // Process 1 is no agent's, and everything on the machine is below it.
  return found && pid > 1 ? { pid, startTicks: found[2] ?? '' } : undefined;
}

/** Anything but a small file says nothing. */
function readSmall(files: Files, path: string): string {
  const stat = files.stat(path);
  return stat?.kind === 'file' && stat.sizeBytes < 100 ? (files.readText(path) ?? '') : '';
}
