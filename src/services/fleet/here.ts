import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { ReadContext } from './context.ts';

type Machine = Pick<ReadContext, 'processes'>;
interface Placed {
  readonly host: string;
  readonly boot: string;
}

/** Whether recorded pids can be true now: after a boot, or elsewhere, they name somebody else. */
export function isOfThisBoot({ processes: { self } }: Machine, { host, boot }: Placed): boolean {
  return host === self.host && boot === self.boot;
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
