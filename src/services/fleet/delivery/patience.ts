import { isMamError } from '../../../domain/errors.ts';
import type { FleetContext } from '../context.ts';

/** How often a write is tried whose lock could not be had; each try waits 5 s for it itself. */
const TRIES = 6;

/**
 * Writes that must not fail because a hundred processes begin at once: the registry gives up after 5 s,
 * which on a machine without a free core is not yet a sign of anything.
 *
 * @throws {MamError} `registry.busy` after half a minute, and whatever else `write` throws.
 */
export async function patiently<T>({ clock }: FleetContext, write: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return write();
    } catch (error) {
      if (!isMamError(error, 'registry.busy') || tries >= TRIES) throw error;
      await clock.sleep(tries);
    }
  }
}
