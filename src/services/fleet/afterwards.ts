import type { FleetContext } from './context.ts';

/**
 * Does what follows an operation, however that ended. The operation's own result or error is what the
 * caller came for: what fails here is a warning and never takes its place.
 *
 * @param failure - Begins the warning, for example `"api" could not be let go`.
 * @returns What `fn` returned; undefined when it failed.
 */
export async function afterwards<T>(
  { logger }: Pick<FleetContext, 'logger'>,
  failure: string,
  fn: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await fn();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn(`${failure}: ${reason}`);
    return undefined;
  }
}
