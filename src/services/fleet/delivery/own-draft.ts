import type { Session } from '../../../domain/session.ts';
import type { ReadContext } from '../context.ts';
import type { Observation } from '../observe.ts';
import { readText } from './delivery-text.ts';
import { screenHolds } from './readiness.ts';

/** Says that a draft in the composer is the text of an earlier delivery, and how it gets out of there. */
export function describeDraft(
  context: ReadContext,
  session: Session,
  seen: Observation,
): string | undefined {
  const left = context
    .readRegistry((reader) => reader.deliveries(session.id))
    .findLast(({ launch, state }) => launch === session.launch && state === 'not-submitted');
  const text = left && readText(context, left);
  if (!left || text === undefined) return undefined;
  const adapter = context.adapters.get(session.agent);
  if (!screenHolds(seen, adapter, adapter.planTyping(text))) return undefined;
  return `its composer still holds the text of delivery ${left.id}, which was not submitted; --id ${left.id} --again presses Enter for it`;
}
