import type { Session } from '../../domain/session.ts';
import type { FleetContext } from './context.ts';
import { answerDialog } from './dialogs.ts';
import { beginOperation } from './operations.ts';

/** Answers the open dialog by its own words. @returns The option's label. */
export async function answer(
  context: FleetContext,
  session: Session,
  choice: string,
): Promise<string> {
  const operation = beginOperation(context, session, 'answer');
  try {
    return (await answerDialog(context, operation, session, choice)).label;
  } finally {
    operation.end();
  }
}
