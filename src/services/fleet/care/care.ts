import type { Attended, FleetCare } from '../../../ports/fleet-care.ts';
import { deriveActivity } from '../activity.ts';
import type { FleetContext } from '../context.ts';
import { send } from '../delivery/send.ts';
import { deliverWaiting } from '../delivery/settle.ts';
import { drainSpool } from '../drain.ts';
import { assertEnvironment } from '../environment-names.ts';
import { recoverLaunches } from '../launch-recovery.ts';
import { judgeLimit } from '../limit-lift.ts';
import { type Observation, observe } from '../observe.ts';
import { forgetOwnOperations } from '../operations.ts';
import { resume } from '../resume.ts';
import { livingServer } from '../server-reach.ts';
import { act } from './act.ts';
import { Survey } from './survey.ts';

const SEND_TIMEOUT_MS = 60_000;

/** The fleet for whoever keeps it in agreement with its registry. */
export function fleetCare(context: FleetContext): FleetCare {
  return {
    survey: () => new Survey(context),
    act: (finding) => act(context, finding),
    recover: () => {
      forgetOwnOperations(context);
      return recoverLaunches(context);
    },
    drain: (session) => drainSpool(context, session, session.launch),
    deliverWaiting: (session, timeoutMs) => deliverWaiting(context, session, timeoutMs),
    attend: async (sessions) => {
      const seen = await observe(context, sessions, { screens: 'needed' });
      return seen.map((each) => attended(context, each));
    },
    resume: async (session, mayResume) => {
      assertEnvironment(context, session);
      const { timeoutMs } = context.settings.create;
      await resume(context, session, { fresh: false, timeoutMs, by: 'policy', mayResume });
    },
    send: async (session, id, text) => {
      const request = { id, text, until: 'submitted', timeoutMs: SEND_TIMEOUT_MS } as const;
      return (await send(context, session, request)).state;
    },
    isServerAlive: () => livingServer(context) !== undefined,
  };
}

function attended(context: FleetContext, seen: Observation): Attended {
  const nowMs = context.clock.nowMs();
  const activity = deriveActivity(seen, nowMs, context.settings.activity.staleMs);
  return { session: seen.session, activity, liftedMs: liftedMs(context, seen, nowMs) };
}

function liftedMs(
  { adapters }: FleetContext,
  seen: Observation,
  nowMs: number,
): number | undefined {
  const { limitGraceMs } = adapters.get(seen.session.agent).card;
  const verdict = judgeLimit(seen, limitGraceMs, nowMs);
  return verdict.kind === 'tell' ? verdict.untilMs : undefined;
}
