import type { Session } from '../../domain/session.ts';
import type { AgentAdapter, TypingPlan } from '../../ports/agent-adapter.ts';
import type { FleetContext } from './context.ts';
import { readiness, sameLook } from './delivery/readiness.ts';
import { takeNumber } from './dialogs.ts';
import { dismiss } from './dismiss.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';

/** Between two looks that must be equal, and between looks that wait for a redraw. Milliseconds. */
const LOOK_GAP_MS = 100;
/** How long the composer may take to show the word. */
const ECHO_TIMEOUT_MS = 2_000;

/**
 * Types the agent's own word for the end, by the rules of a delivery: only where two looks find it idle
 * with an empty composer, and Enter only while the composer shows the word and nothing else.
 *
 * @returns Whether it was entered.
 */
export async function typeQuitWord(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  looked: Observation,
): Promise<boolean> {
  const { adapters, multiplexer, clock, signal } = context;
  const verdict = readiness(looked, clock.nowMs());
  const first =
    verdict.kind === 'covered'
      ? await dismiss(context, operation, session, looked, verdict.key)
      : looked;
  if (!isReady(context, first)) return false;
  await clock.sleep(LOOK_GAP_MS, signal);
  const second = await observeSession(context, session);
  if (!second.pane || !isReady(context, second) || !sameLook(first, second)) return false;
  const adapter = adapters.get(session.agent);
  const { card } = adapter;
  const { paneId, cursor: lookedAt } = second.pane;
  const number = takeNumber(operation, session);
  // Typed as the agent's other commands are: a bare `/exit` may open a completion menu.
  const plan = adapter.planTyping(card.quit.text);
  const typed = await multiplexer.paste({
    paneId,
    launchId: session.launch,
    number,
    text: plan.typed,
    bracketed: plan.via === 'paste',
    cursor: lookedAt,
  });
  if (typed !== 'done') return false;
  // From here to Enter nothing interrupts: a word of ours that is left there is in everybody's way.
  await clock.sleep(plan.enterDelayMs ?? card.enterDelayMs);
  const shown = await awaitEcho(context, session, adapter, plan);
  if (!shown?.pane) return false;
  const { cursor } = shown.pane;
  const pressed = await multiplexer.press({
    paneId,
    launchId: session.launch,
    key: 'Enter',
    mark: number * 10 + 1,
    cursor,
  });
  return pressed === 'done';
}

function isReady(context: FleetContext, seen: Observation): boolean {
  return readiness(seen, context.clock.nowMs()).kind === 'ready';
}

async function awaitEcho(
  context: FleetContext,
  session: Session,
  adapter: AgentAdapter,
  plan: TypingPlan,
): Promise<Observation | undefined> {
  const { clock } = context;
  const deadline = clock.monotonicMs() + ECHO_TIMEOUT_MS;
  for (;;) {
    const seen = await observeSession(context, session);
    const composer = seen.reading?.composer;
    const isShown = composer?.mode === 'prompt' && adapter.composerHolds(composer, plan);
    if (isShown && !seen.reading?.dialog) return seen;
    if (!seen.agentAlive || clock.monotonicMs() >= deadline) return undefined;
    await clock.sleep(LOOK_GAP_MS);
  }
}
