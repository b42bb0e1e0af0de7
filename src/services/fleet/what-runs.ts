import { isMamError, MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { FleetContext } from './context.ts';
import { LaunchProcesses } from './launch-processes.ts';

/**
 * Why a start ended with an error, and that its session runs all the same where it does: whoever gets the
 * error would take it for a start that came to nothing.
 */
export function withWhatRuns(context: FleetContext, session: Session, error: unknown): unknown {
  // An interrupt has said so already.
  if (isMamError(error, 'interrupted') || !runs(context, session)) return error;
  const { name } = session;
  const words = `session "${name}" was started, and runs: mam stop ${name} ends it`;
  if (isMamError(error)) {
    const { code, message, details, hint } = error;
    const options = { cause: error, ...(hint === undefined ? {} : { hint }) };
    return new MamError(code, `${message} But ${words}.`, details, options);
  }
  // What the file system says of a write is explained further up, by its fields.
  if (error instanceof Error) error.message += `; but ${words}`;
  return error;
}

/** Recorded so, and seen: both can be read where nothing can be written. */
function runs(context: FleetContext, { id, launch }: Session): boolean {
  try {
    const current = context.registry.read((reader) => reader.findSessionById(id));
    const isRecorded = current?.status === 'running' && current.launch === launch;
    return isRecorded && new LaunchProcesses(context, current).look().members.length > 0;
  } catch {
    return false;
  }
}
