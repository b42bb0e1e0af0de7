import type { Session } from '../../domain/session.ts';
import type { ReadContext } from './context.ts';

/** Levels above it in the registry's chain; a loop made by hand ends it. */
export function depthOf(context: Pick<ReadContext, 'readRegistry'>, session: Session): number {
  if (session.parent === null) return 0;
  return context.readRegistry((reader) => {
    let depth = 0;
    const seen = new Set([session.id]);
    for (let id = session.parent; id && !seen.has(id); depth++) {
      seen.add(id);
      id = reader.findSessionById(id)?.parent ?? null;
    }
    return depth;
  });
}
