import type { ProcessIdentity } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { ProcessInfo } from '../../ports/process-table.ts';
import type { FleetContext } from './context.ts';
import { canSeePids } from './here.ts';
import { readIdentityFile } from './launch-folder.ts';
import { type Tree, walkTree } from './process-tree.ts';
import { registeredServers } from './servers.ts';

type ProcessContext = Pick<
  FleetContext,
  'files' | 'processes' | 'workspace' | 'adapters' | 'userFolder'
>;

export interface SessionProcesses extends Tree {
  /**
   * `subreaper`: the recorder lives and adopts whatever the agent orphans, so the list is complete.
   * `trace`: found by session, terminal, marker and earlier looks; something may be missing.
   */
  readonly proof: 'subreaper' | 'trace';
}

/**
 * The processes of a session's launch that live now. `seen` are those of earlier looks: a process that
 * left every trace behind is still known by pid and start time.
 */
export function sessionProcesses(
  context: ProcessContext,
  session: Session,
  seen: readonly ProcessIdentity[],
): SessionProcesses {
  if (!canSeePids(context, session)) return { members: [], left: [], proof: 'trace' };
  const { files, processes, workspace } = context;
  const folder = workspacePaths.launch(workspace, session.launch);
  const recorder = readIdentityFile(files, `${folder}/inner`);
  const recorderLives = recorder !== undefined && processes.isAlive(recorder);
  const isComplete = recorderLives && files.stat(`${folder}/subreaper`) !== undefined;
  const all = processes.list();
  const own = isComplete ? [] : tracedMembers(context, session, all);
  const agent = readIdentityFile(files, `${folder}/agent`) ?? session.agentProcess;
  const tree = walkTree({
    all,
    roots: recorderLives ? [recorder] : [],
    members: [...seen, ...own, ...(agent ? [agent] : [])],
    isExcluded: exclusions(context, session, recorder),
  });
  const left = tree.left.filter(({ pid }) => pid !== processes.self.pid);
  const naps = recorderLives ? ownNaps(context, session, recorder, tree.members) : [];
  const members = tree.members.filter((info) => !naps.includes(info));
  return { members, left, proof: isComplete ? 'subreaper' : 'trace' };
}

/**
 * What the recorder itself sleeps with while it stays: like any of the agent's by its look, but without
 * the marker that all of those have.
 *
 * @see src/assets/launcher.sh, nap
 */
function ownNaps(
  { processes }: ProcessContext,
  { launch }: Session,
  recorder: ProcessIdentity,
  members: readonly ProcessInfo[],
): readonly ProcessInfo[] {
  // Between fork and exec a nap still bears the recorder's own command line.
  const before = processes.commandLine(recorder.pid);
  const isNap = (command: string) =>
    (before !== '' && command === before) || /(?:^|[ /])sleep (?:0\.05|1)$/.test(command);
  const alike = members.filter(
    ({ pid, ppid }) => ppid === recorder.pid && isNap(processes.commandLine(pid)),
  );
  if (alike.length === 0) return [];
  const marked = processes.withEnvironment('MAM_LAUNCH', launch);
  return alike.filter(({ pid }) => !marked.includes(pid));
}

/** Without a recorder that adopts: everything that carries a trace of the launch. */
function tracedMembers(
  context: ProcessContext,
  session: Session,
  all: readonly ProcessInfo[],
): readonly ProcessIdentity[] {
  const { processes, files, workspace } = context;
  const folder = workspacePaths.launch(workspace, session.launch);
  const marked = new Set(processes.withEnvironment('MAM_LAUNCH', session.launch));
  const pane = session.pane;
  const paneInfo = all.find(
    ({ pid, startTicks }) => pid === pane?.pid && startTicks === pane.pidStartTicks,
  );
  const shares = (info: ProcessInfo) =>
    marked.has(info.pid) ||
    (paneInfo !== undefined &&
      info.pid !== paneInfo.pid &&
      (info.sessionLeader === paneInfo.pid || (paneInfo.tty !== 0 && info.tty === paneInfo.tty)));
  const recorded = [...(pane?.children ?? []), ...readLeft(files.readText(`${folder}/left`))];
  return [...all.filter(shares), ...recorded];
}

/** @see src/assets/launcher.sh: one "PID STARTTICKS" a line */
function readLeft(text: string | undefined): readonly ProcessIdentity[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const found = /^([1-9]\d{0,9}) (\d+)$/.exec(line);
    return found ? [{ pid: Number(found[1]), startTicks: found[2] ?? '' }] : [];
  });
}

/** tmux servers and launches that are not this one's, shared daemons, ourselves. */
function exclusions(
  context: ProcessContext,
  session: Session,
  recorder: ProcessIdentity | undefined,
): (info: ProcessInfo) => boolean {
  const { processes, adapters } = context;
  const servers = registeredServers(context);
  const shared = adapters.get(session.agent).card.sharedDaemons;
  const agentPid = session.agentProcess?.pid;
  const isServer = (info: ProcessInfo) =>
    servers.some(({ pid, startTicks }) => pid === info.pid && startTicks === info.startTicks);
  return (info) => {
    if (info.pid === processes.self.pid || isServer(info)) return true;
    const command = processes.commandLine(info.pid);
    const isRecorder = /\/launcher\.sh \S.* inner$/.test(command) && info.pid !== recorder?.pid;
    if (isRecorder && !command.includes(`/run/${session.launch} inner`)) return true;
    // Whole words: a name or a quoted text that merely contains one is the session's own.
    const words = command.split(' ');
    return info.pid !== agentPid && shared.some((argument) => words.includes(argument));
  };
}
