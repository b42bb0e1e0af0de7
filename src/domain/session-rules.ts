import { MamError } from './errors.ts';
import type { Session, SessionStatus } from './session.ts';

const TRANSITIONS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  running: ['running', 'stopped', 'terminated'],
  stopped: ['stopped', 'running', 'terminated'],
  terminated: ['terminated', 'running'],
};

/**
 * Refuses a change of a session that its state machine does not know (docs/requirements.md, A-STATE).
 *
 * @throws {MamError} `role.immutable`, `session.wrong-state`.
 */
export function assertSessionChange(before: Session, after: Session): void {
  if (before.role !== after.role) {
    throw new MamError(
      'role.immutable',
      `Role of session "${before.name}" is "${before.role}" and cannot become "${after.role}": a role is set at creation.`,
      { session: before.name },
    );
  }
  for (const field of ['id', 'name', 'agent', 'createdAt'] as const) {
    if (before[field] !== after[field]) {
      throw new MamError('session.wrong-state', `Field ${field} of "${before.name}" is immutable.`);
    }
  }
  if (!TRANSITIONS[before.status].includes(after.status)) {
    throw new MamError(
      'session.wrong-state',
      `Session "${before.name}" is ${before.status} and cannot become ${after.status}.`,
      { session: before.name, status: before.status },
    );
  }
  if (before.status === 'terminated' && after.status === 'running' && !before.resumable) {
    throw new MamError(
      'session.wrong-state',
      `Session "${before.name}" is terminated and not resumable: its conversation was purged.`,
      { session: before.name },
      { hint: `The name is free: mam create ${before.name} …` },
    );
  }
}

/** A session's name may be taken by a new one only when it is terminated. */
export function holdsName(session: Session): boolean {
  return session.status !== 'terminated';
}

/** @throws {MamError} `name.taken` */
export function assertNameFree(holder: Session | undefined): void {
  if (holder && holdsName(holder)) throw nameTaken(holder);
}

/** Why a name cannot be given away; it belongs to `holder`, or to one that is being made. */
export function nameTaken(holder: Session): MamError {
  const { name, agent, role, status } = holder;
  return new MamError(
    'name.taken',
    `Name "${name}" is taken by the ${agent} session "${name}" (${status}, role ${role}).`,
    { session: name, status },
    {
      hint:
        status === 'stopped'
          ? `mam resume ${name} brings it back; mam stop ${name} --purge-conversation frees the name`
          : `mam status ${name}`,
    },
  );
}
