import type { ProcessIdentity } from '../../domain/owner.ts';
import type { FleetContext, ReadContext } from './context.ts';

/**
 * Every tmux server of this user, of whatever workspace, as `~/.mam/run/servers/<workspace>-<host>`.
 * A server that was first started from inside an agent looks like that agent's child: no stop may take
 * it, or anything below it.
 */
type ServerFiles = Pick<ReadContext, 'files' | 'userFolder' | 'workspace' | 'processes'>;

/** What cannot be written is said before a server is started that would have to be known. */
export function prepareRegistration({ files, userFolder }: ServerFiles): void {
  files.makeFolder(`${userFolder}/run/servers`);
}

export function registerServer(context: FleetContext): void {
  const server = context.registry.read((reader) => reader.tmuxServer());
  if (!server) return;
  const folder = `${context.userFolder}/run/servers`;
  context.files.makeFolder(folder);
  const { pid, startTicks } = server.process;
  const path = `${folder}/${context.workspace.id}-${context.workspace.host}`;
  context.files.writeAtomic(path, `${pid} ${startTicks} ${server.boot}\n`);
}

/** The monitor is nobody's to stop either: one that was started from inside an agent looks like its child. */
export function registerMonitor(context: ServerFiles): void {
  const folder = `${context.userFolder}/run/servers`;
  context.files.makeFolder(folder);
  const { pid, startTicks, boot } = context.processes.self;
  const path = `${folder}/${context.workspace.id}-${context.workspace.host}-monitor`;
  context.files.writeAtomic(path, `${pid} ${startTicks} ${boot}\n`);
}

export function registeredServers(context: ServerFiles): readonly ProcessIdentity[] {
  const { files, userFolder, processes } = context;
  const folder = `${userFolder}/run/servers`;
  return files.list(folder).flatMap((name) => {
    const found = /^([1-9]\d*) (\d+) (\S+)\n?$/.exec(files.readText(`${folder}/${name}`) ?? '');
    const isThisBoot = found?.[3] === processes.self.boot;
    return found && isThisBoot ? [{ pid: Number(found[1]), startTicks: found[2] ?? '' }] : [];
  });
}
