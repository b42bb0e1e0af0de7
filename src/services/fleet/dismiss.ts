import type { Session } from '../../domain/session.ts';
import type { DismissKey } from '../../ports/agent-adapter.ts';
import type { FleetContext } from './context.ts';
import { takeNumber } from './dialogs.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';

const REDRAW_GAP_MS = 60;
/** How long the key may take to show. */
const REDRAW_TIMEOUT_MS = 2_000;

/**
 * Puts away what takes the keys before the composer does: presses its key once, only while the screen is
 * the one last seen, and looks until it is gone.
 *
 * @returns The screen then.
 */
export async function dismiss(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  { pane }: Observation,
  key: DismissKey,
): Promise<Observation> {
  const { clock, multiplexer, logger, signal } = context;
  if (pane) {
    const mark = takeNumber(operation, session) * 10 + 1;
    const { paneId, cursor } = pane;
    await multiplexer.press({ paneId, launchId: session.launch, key, mark, cursor });
    logger.debug('put away what covered its composer', { session: session.name, key });
  }
  const deadline = clock.monotonicMs() + REDRAW_TIMEOUT_MS;
  for (;;) {
    await clock.sleep(REDRAW_GAP_MS, signal);
    const seen = await observeSession(context, session);
    const isGone = seen.reading?.dismissKey === undefined;
    if (isGone || clock.monotonicMs() >= deadline) return seen;
  }
}
