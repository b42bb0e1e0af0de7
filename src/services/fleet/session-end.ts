import type { Launch } from '../../domain/launch.ts';
import type { Session, SessionEnd } from '../../domain/session.ts';
import type { Clock } from '../../ports/clock.ts';
import { isoNow } from '../../ports/clock.ts';
import type { Files } from '../../ports/files.ts';
import type { ExitRecord } from '../../ports/fleet-care.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';

/** How an agent ended that was found ended. */
export interface FoundEnd {
  readonly reason: string;
  readonly exit: ExitRecord | undefined;
  /** A stop that was killed had asked for it. */
  readonly wasAsked: boolean;
  /** Who found it. */
  readonly by: SessionEnd['by'];
}

/** `stopped` after a status of 0, an end that was asked for, or a resume that never came up. */
export function endStatus(
  launch: Launch | undefined,
  { exit, wasAsked }: Pick<FoundEnd, 'exit' | 'wasAsked'>,
): 'stopped' | 'terminated' {
  const isStopped = wasAsked || exit?.status === 0 || isFailedResume(launch);
  return isStopped ? 'stopped' : 'terminated';
}

/** Whether a stop was under way when the agent ended. Asked before another stop begins. */
export function wasAskedToEnd(files: Files, launchFolder: string): boolean {
  const stopping = files.stat(`${launchFolder}/stopping`);
  const exit = files.stat(`${launchFolder}/exit`);
  return stopping !== undefined && (!exit || exit.modifiedMs >= stopping.modifiedMs);
}

/** The session's row when its agent had ended before anybody came to end it. */
export function foundEnded(
  session: Session,
  launch: Launch | undefined,
  found: FoundEnd,
  clock: Clock,
): Session {
  const { reason, exit, by } = found;
  const at = exit ? new Date(exit.atMs).toISOString() : isoNow(clock);
  const status = endStatus(launch, found);
  return {
    ...atRest(session),
    status,
    stoppedAt: status === 'stopped' ? at : null,
    ended: { reason, exitCode: exit?.status ?? null, at, by },
  };
}

/** It never came up: the session keeps its name, as it did before the try. */
function isFailedResume(launch: Launch | undefined): boolean {
  return launch?.kind === 'resume' && launch.state === 'spawned';
}

/** Without what only a running session has. */
export function atRest(session: Session): Session {
  return { ...session, tmux: null, pane: null, agentProcess: null };
}

/** Stores a session that has ended, and that its launch is over. */
export function putEnded(tx: RegistryTransaction, session: Session): void {
  tx.putSession(session);
  const launch = tx.findLaunch(session.launch);
  const endedAt = session.ended?.at ?? null;
  if (launch) tx.putLaunch({ ...launch, state: 'ended', endedAt });
}
