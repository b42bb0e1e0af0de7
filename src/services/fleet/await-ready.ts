import { type ErrorCode, isMamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { Life } from '../../ports/fleet-care.ts';
import type { PaneLook } from '../../ports/multiplexer.ts';
import { deriveActivity } from './activity.ts';
import type { FleetContext } from './context.ts';
import { answerDialog, mayAnswer } from './dialogs.ts';
import { findVitals } from './life.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';
import { screenText } from './screen-text.ts';
import { allEvents } from './spool.ts';

const LOOK_GAP_MS = 120;
/** Between looks at the screen of an agent whose files say nothing yet: each costs a process. */
const SILENT_LOOK_GAP_MS = 480;

export type StartOutcome =
  | {
      readonly kind: 'ready';
      readonly pane: PaneLook;
      /** As its hook says. */
      readonly conversationId: string | undefined;
      /** It shows that it does not have the conversation it was to resume, and began another. */
      readonly began: boolean;
    }
  /** It waits for a person: trust, login, or another dialog that mam may not answer. */
  | { readonly kind: 'waiting'; readonly pane: PaneLook; readonly detail: string }
  | { readonly kind: 'ended'; readonly status: number | undefined; readonly screen: string }
  | { readonly kind: 'timeout'; readonly screen: string };

/**
 * Waits until the agent can be spoken to: its hook has said that it is up, and its composer is drawn.
 * Known dialogs are answered on the way where the rules allow it, by their words.
 */
export async function awaitReady(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  timeoutMs: number,
): Promise<StartOutcome> {
  const { clock } = context;
  const spool = workspacePaths.spool(context.workspace, session.launch);
  const deadline = clock.monotonicMs() + timeoutMs;
  const silence = () => ({
    untilMs: Math.min(clock.monotonicMs() + SILENT_LOOK_GAP_MS, deadline),
    spool,
  });
  let last = '';
  if (tellsWhenUp(context, session)) await awaitWord(context, session, silence());
  for (;;) {
    const seen = await observeSession(context, session);
    last = screenText(seen.screen) || last;
    const outcome = judge(context, session, seen, last);
    if (outcome) return outcome;
    const dialog = seen.reading?.dialog;
    if (dialog) await answer(context, operation, session);
    else if (seen.agentState === 'T' && seen.agent) context.processes.signal(seen.agent, 'SIGCONT');
    if (clock.monotonicMs() >= deadline) return { kind: 'timeout', screen: last };
    const patience = {
      untilMs: Math.min(clock.monotonicMs() + SILENT_LOOK_GAP_MS, deadline),
      spool,
    };
    if (isSilent(seen)) await awaitWord(context, session, patience);
    else await context.files.waitForChange(spool, LOOK_GAP_MS, context.signal);
  }
}

function tellsWhenUp({ adapters }: FleetContext, { agent, adopted }: Session): boolean {
  return adapters.get(agent).card.readyHook && !adopted;
}

/** It starts, and will tell by its hook when it is up: its screen may still ask something first. */
function isSilent({ hooksExpected, events, reading, ...life }: Observation): boolean {
  return hooksExpected && events.length === 0 && !reading?.dialog && mayBeStarting(life);
}

function mayBeStarting({ agent, agentAlive, exit }: Pick<Life, 'agent' | 'agentAlive' | 'exit'>) {
  return agentAlive || (agent === undefined && exit === undefined);
}

/** Until its files say something new: a hook, or its end. */
async function awaitWord(
  context: FleetContext,
  session: Session,
  { untilMs, spool }: { readonly untilMs: number; readonly spool: string },
): Promise<void> {
  const { clock, files, signal } = context;
  const leftMs = () => untilMs - clock.monotonicMs();
  for (;;) {
    const isWord = allEvents(context, session).events.length > 0;
    if (isWord || !mayBeStarting(findVitals(context, session)) || leftMs() <= 0) return;
    await files.waitForChange(spool, Math.min(leftMs(), LOOK_GAP_MS), signal);
  }
}

function judge(
  context: FleetContext,
  session: Session,
  seen: Observation,
  screen: string,
): StartOutcome | undefined {
  const activity = deriveActivity(seen, context.clock.nowMs());
  if (activity.state === 'exited' || activity.state === 'lost') {
    return {
      kind: 'ended',
      status: seen.exit?.status,
      screen: endScreen(context, session) ?? screen,
    };
  }
  if (!seen.pane) return undefined;
  const dialog = seen.reading?.dialog;
  if (dialog) {
    return mayAnswer(dialog.rule, context, session)
      ? undefined
      : { kind: 'waiting', pane: seen.pane, detail: dialog.rule.detail };
  }
  const { hooksExpected, reading } = seen;
  const told = seen.events.findLast(({ fact }) => fact.kind === 'conversation-started');
  const isUp = (told !== undefined || !hooksExpected) && reading?.composer !== undefined;
  if (!isUp) return undefined;
  const { pane } = seen;
  const began = reading?.notFound !== undefined && reading.notFound === session.conversationId;
  return { kind: 'ready', pane, conversationId: told?.fact.conversationId, began };
}

/** The launcher stored it; a capture of a held pane shows the same with a line of ours below. */
function endScreen({ files, workspace }: FleetContext, session: Session): string | undefined {
  return files.readText(`${workspacePaths.launch(workspace, session.launch)}/screen`);
}

const STALE: readonly ErrorCode[] = [
  'answer.no-dialog',
  'answer.no-such-option',
  'answer.unproven',
];

/** A dialog that closed meanwhile, or whose mark would not move, is looked at again. */
async function answer(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
): Promise<void> {
  try {
    const { label } = await answerDialog(context, operation, session, 'yes');
    context.logger.debug('dialog answered by its rule', { session: session.name, label });
  } catch (error) {
    if (!isMamError(error) || !STALE.includes(error.code)) throw error;
  }
}
