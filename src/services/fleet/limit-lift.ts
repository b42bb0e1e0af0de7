import { MamError } from '../../domain/errors.ts';
import { GO_ON, goOnId } from '../../domain/go-on.ts';
import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import { foldFacts } from './activity-facts.ts';
import type { FleetContext } from './context.ts';
import { send } from './delivery/send.ts';
import type { StartReport } from './first-words.ts';
import { limitEnd } from './limit-end.ts';
import { type Observation, observeSession } from './observe.ts';
import { type ResumeRequest, resume } from './resume.ts';

/** Between two looks at the clock: it may be set, and the machine may sleep. Milliseconds. */
const CLOCK_GAP_MS = 30_000;
const LOOK_GAP_MS = 1_000;

export type LimitVerdict =
  /** Not at a limit, or no longer: it went on. */
  | { readonly kind: 'none' }
  /** It does not tell when its limit lifts. */
  | { readonly kind: 'unknown-end' }
  /** An agent that goes on by itself may still do so. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'tell'; readonly untilMs: number };

/** @param graceMs - How long after the end an agent may take that goes on by itself. */
export function judgeLimit(
  { events, agentAlive }: Pick<Observation, 'events' | 'agentAlive'>,
  graceMs: number,
  nowMs: number,
): LimitVerdict {
  const told = foldFacts(events);
  if (!agentAlive || told?.state !== 'limited') return { kind: 'none' };
  const { untilMs } = told;
  if (untilMs === undefined) return { kind: 'unknown-end' };
  return { kind: nowMs < untilMs + graceMs ? 'wait' : 'tell', untilMs };
}

/**
 * Goes on with the same conversation when the usage limit has lifted: an agent that runs is told so, unless
 * it goes on by itself; one that has ended is brought back then.
 *
 * @throws {MamError} `session.wrong-state` when it is at no limit, or none whose end is known; else as
 *   `resume` and `send`.
 */
export async function resumeWhenLimitLifts(
  context: FleetContext,
  session: Session,
  request: ResumeRequest,
): Promise<StartReport> {
  const seen = session.status === 'running' ? await observeSession(context, session) : undefined;
  if (!seen?.agentAlive) return bringBackLater(context, session, request);
  const { limitGraceMs } = context.adapters.get(session.agent).card;
  const first = judgeLimit(seen, limitGraceMs, context.clock.nowMs());
  if (first.kind === 'none') throw notLimited(session);
  const verdict = await awaitVerdict(context, session, first);
  const report = { session, waitingFor: null, delivery: null, warnings: [] };
  if (verdict.kind !== 'tell') {
    return { ...report, warnings: [`"${session.name}" went on by itself.`] };
  }
  const { prompt: text = GO_ON, timeoutMs } = request;
  const id = goOnId(session.launch, verdict.untilMs);
  const delivery = await send(context, session, { id, text, until: 'submitted', timeoutMs });
  return { ...report, delivery };
}

/** Nobody goes on by itself here. */
async function bringBackLater(
  context: FleetContext,
  session: Session,
  request: ResumeRequest,
): Promise<StartReport> {
  const untilMs = limitEnd(context, session);
  if (untilMs === undefined) throw endUnknown(session);
  await awaitTime(context, untilMs);
  return resume(context, session, { prompt: GO_ON, ...request });
}

async function awaitVerdict(
  context: FleetContext,
  session: Session,
  first: LimitVerdict,
): Promise<LimitVerdict> {
  const { clock, files, adapters, workspace, signal } = context;
  const { limitGraceMs } = adapters.get(session.agent).card;
  const spool = workspacePaths.spool(workspace, session.launch);
  for (let verdict = first; ; ) {
    if (verdict.kind === 'unknown-end') throw endUnknown(session);
    if (verdict.kind !== 'wait') return verdict;
    const leftMs = verdict.untilMs - clock.nowMs();
    const gapMs = leftMs > 0 ? Math.min(leftMs, CLOCK_GAP_MS) : LOOK_GAP_MS;
    await files.waitForChange(spool, gapMs, signal);
    verdict = judgeLimit(await observeSession(context, session), limitGraceMs, clock.nowMs());
  }
}

async function awaitTime({ clock, signal }: FleetContext, untilMs: number): Promise<void> {
  for (;;) {
    const leftMs = untilMs - clock.nowMs();
    if (leftMs <= 0) return;
    await clock.sleep(Math.min(leftMs, CLOCK_GAP_MS), signal);
  }
}

function notLimited({ name }: Session): MamError {
  return new MamError(
    'session.wrong-state',
    `Session "${name}" is at no usage limit.`,
    { session: name },
    { hint: `mam status ${name} tells what it does; mam send ${name} … speaks to it` },
  );
}

function endUnknown({ name }: Session): MamError {
  return new MamError(
    'session.wrong-state',
    `When the usage limit of "${name}" lifts is not known: its agent does not tell, or its last turn ended at none.`,
    { session: name },
    {
      hint: `mam resume ${name} brings it back now; mam send ${name} … tries whether it has lifted`,
    },
  );
}
