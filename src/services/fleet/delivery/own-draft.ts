import type { Session } from '../../../domain/session.ts';
import { workspacePaths } from '../../../domain/workspace.ts';
import type { ReadContext } from '../context.ts';
import type { Observation } from '../observe.ts';
import { readText } from './delivery-text.ts';
import { screenHolds } from './readiness.ts';

/** Says that a draft in the composer is ours, from what, and how it gets out of there. */
export function describeDraft(
  context: ReadContext,
  session: Session,
  seen: Observation,
): string | undefined {
  return describeQuitWord(context, session, seen) ?? describeText(context, session, seen);
}

/** A stop that was killed between its word and Enter. */
function describeQuitWord(
  { adapters, files, workspace }: ReadContext,
  { agent, launch, name }: Session,
  seen: Observation,
): string | undefined {
  if (!files.stat(`${workspacePaths.launch(workspace, launch)}/stopping`)) return undefined;
  const adapter = adapters.get(agent);
  const { text } = adapter.card.quit;
  if (!screenHolds(seen, adapter, adapter.planTyping(text))) return undefined;
  return `its composer holds ${text}, which a stop typed that was ended in the middle; mam stop ${name} goes on with it`;
}

function describeText(
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
