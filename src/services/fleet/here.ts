import { MamError } from '../../domain/errors.ts';
import { isSameSpace, type ProcessSpace } from '../../domain/owner.ts';
import type { Session } from '../../domain/session.ts';
import type { ReadContext } from './context.ts';

type Machine = Pick<ReadContext, 'processes'>;

/** Whether recorded pids can be looked up: after a boot, or elsewhere, they name somebody else. */
export function canSeePids({ processes }: Machine, recorded: ProcessSpace): boolean {
  return isSameSpace(recorded, processes.self);
}

/**
 * Whether a session is somebody else's to judge: on another machine, or its terminal is there and its
 * processes are in another pid namespace, as seen from a sandbox. Without a terminal it has ended: a
 * container that was started again has a new namespace.
 */
export function isElsewhere(machine: Machine, session: Session, hasPane: boolean): boolean {
  const isOtherHost = session.host !== machine.processes.self.host;
  return isOtherHost || (hasPane && !canSeePids(machine, session));
}

/**
 * A session that runs on another machine is not judged, signalled or resumed from here.
 *
 * @param attempt - For example `stop`.
 * @throws {MamError} `session.wrong-state`
 */
export function assertHere({ processes }: Machine, session: Session, attempt: string): void {
  if (session.status !== 'running' || session.host === processes.self.host) return;
  throw new MamError(
    'session.wrong-state',
    `Cannot ${attempt} "${session.name}" from here: it runs on host ${session.host}, and this is ${processes.self.host}.`,
    { session: session.name, host: session.host },
    { hint: `Give the command on host ${session.host}.` },
  );
}

/** Its pane was seen, and what runs in it cannot be. @throws {MamError} `session.wrong-state` */
export function assertSeen(seen: { session: Session; isRemote: boolean }, attempt: string): void {
  if (!seen.isRemote) return;
  const { name, pidNamespace } = seen.session;
  throw new MamError(
    'session.wrong-state',
    `Cannot ${attempt} "${name}" from here: its processes are in another pid namespace (${pidNamespace}).`,
    { session: name },
    { hint: 'Give the command outside of the sandbox or container that you are in.' },
  );
}
