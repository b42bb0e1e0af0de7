import { MamError } from './errors.ts';
import { foldCase, isSessionName, toTmuxName } from './names.ts';
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

/** @param wanted - As it was given: another name may be the same by its key. @throws {MamError} `name.taken` */
export function assertNameFree(holder: Session | undefined, wanted: string): void {
  if (holder && holdsName(holder)) throw nameTaken(holder, wanted);
}

/** Why a name cannot be given away; it belongs to `holder`, or to one that is being made. */
export function nameTaken({ name, agent, role, status }: Session, wanted: string): MamError {
  const why = wanted === name ? '' : `: ${sameness(wanted, name)}`;
  const next =
    status === 'stopped'
      ? `mam resume ${name} brings it back; mam stop ${name} --purge-conversation frees the name`
      : `mam status ${name}`;
  return new MamError(
    'name.taken',
    `Name "${wanted}" is taken by the ${agent} session "${name}" (${status}, role ${role})${why}.`,
    { session: name, status },
    { hint: wanted === name ? next : `${anotherName(wanted)} · ${next}` },
  );
}

/** Why two names that are written otherwise have one key. */
function sameness(wanted: string, name: string): string {
  const isBeyondCapitals = foldCase(wanted) !== foldCase(name);
  const isBeyondDots = toTmuxName(wanted) !== toTmuxName(name);
  return [
    ...(isBeyondCapitals ? ['tmux takes "." for "_"'] : []),
    ...(isBeyondDots ? ['capitals make no other name'] : []),
  ].join(', and ');
}

function anotherName(wanted: string): string {
  const example = `${wanted}-2`;
  return isSessionName(example) ? `Another name, for example ${example}` : 'Another name';
}
