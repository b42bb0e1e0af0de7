import { ulid } from '../../base/ulid.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { FleetContext } from './context.ts';

const LAUNCH_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** Long enough to look at what a start that failed has left there. */
const KEPT_MS = 24 * 3600_000;
const TIME_CHARS = 10;

/**
 * Removes folders of launches that no session stands for any more and that are a day old: of starts
 * that failed and whose name was given away since.
 */
export function sweepLaunchFolders(context: FleetContext): void {
  const { files, registry, clock, workspace } = context;
  const run = `${workspace.stateFolder}/run`;
  // Ids begin with their time, so they compare by age.
  const oldest = ulid(clock.nowMs() - KEPT_MS).slice(0, TIME_CHARS);
  const old = files.list(run).filter((name) => LAUNCH_ID.test(name) && name < oldest);
  if (old.length === 0) return;
  const needed = registry.read((reader) => {
    const open = reader.openLaunches().map(({ id }) => id);
    const current = reader.sessions().map(({ launch }) => launch);
    return new Set([...open, ...current]);
  });
  for (const launch of old) {
    if (!needed.has(launch)) files.remove(workspacePaths.launch(workspace, launch));
  }
}
