import type { Session } from '../../domain/session.ts';
import type { FleetContext } from './context.ts';
import { deliverWaiting } from './delivery/settle.ts';
import { answerDialog } from './dialogs.ts';
import { beginOperation, type HeldOperation, letGo } from './operations.ts';

/** How long an agent may take to become ready after its dialog, for what waited behind it. */
const WAITING_MS = 15_000;

/**
 * Answers the open dialog by its own words; what waited behind it goes out.
 *
 * @returns The option's label.
 */
export async function answer(
  context: FleetContext,
  session: Session,
  choice: string,
): Promise<string> {
  const operation = beginOperation(context, session, 'answer');
  const label = await answerHeld(context, operation, session, choice);
  await deliverWaiting(context, session, WAITING_MS);
  return label;
}

async function answerHeld(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  choice: string,
): Promise<string> {
  try {
    return (await answerDialog(context, operation, session, choice)).label;
  } finally {
    await letGo(context, session, operation);
  }
}
