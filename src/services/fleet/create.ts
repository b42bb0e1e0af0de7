import type { Delivery } from '../../domain/delivery.ts';
import type { Permissions, Session } from '../../domain/session.ts';
import { awaitReady, type StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { assertPrompt, send } from './delivery/send.ts';
import { endFailedStart, failedStart, withRecord } from './failed-start.ts';
import { environment, planLaunch } from './launch-plan.ts';
import { launchFolder } from './launch-records.ts';
import { recoverLaunches } from './launch-recovery.ts';
import { recordUp, start } from './launching.ts';
import { preflight } from './preflight.ts';
import { assertNameFree, planSession } from './session-plan.ts';
import { drainSpool } from './spool.ts';

export interface CreateRequest {
  readonly name: string;
  readonly agent: string;
  readonly role: string;
  /** Absolute. */
  readonly cwd: string;
  readonly prompt?: string;
  readonly permissions?: Permissions;
  readonly model?: string;
  /** `NAME` or `NAME=VALUE`. */
  readonly env: readonly string[];
  readonly mcpFiles: readonly string[];
  readonly extraArgs: readonly string[];
  /** Name or id of the session that creates it. */
  readonly parent?: string;
  readonly wait: boolean;
  readonly timeoutMs: number;
}

export interface StartReport {
  readonly session: Session;
  /** Set when it waits for a person: `trust`, `login`, … */
  readonly waitingFor: string | null;
  readonly delivery: Delivery | null;
  readonly warnings: readonly string[];
}

/**
 * A new session, up and spoken to. Everything that can be refused is refused before anything exists.
 *
 * @throws {MamError} what is wrong with the request (2), the name (4), the machine (5).
 */
export async function create(context: FleetContext, request: CreateRequest): Promise<StartReport> {
  const adapter = context.adapters.get(request.agent);
  const { session, extra } = planSession(context, adapter, request);
  if (request.prompt !== undefined) assertPrompt(request.prompt, adapter);
  assertNameFree(context, session.name);
  await context.multiplexer.assertUsable();
  const env = environment(context, adapter, session, extra);
  const { permissions, cwd } = session;
  const binary = await preflight(context, { adapter, permissions, env, cwd, level: 'fast' });
  await recoverLaunches(context);
  const launchPlan = planLaunch(context, adapter, session, env, binary, 'new');
  const command = launchPlan.argv;
  const started = await start(context, {
    kind: 'create',
    session: { ...session, startCommand: command },
    adapter,
    plan: launchPlan,
    env,
  });
  try {
    return await bringUp(context, started, request);
  } finally {
    started.operation.end();
  }
}

async function bringUp(
  context: FleetContext,
  { session, operation }: Awaited<ReturnType<typeof start>>,
  request: CreateRequest,
): Promise<StartReport> {
  if (!request.wait && request.prompt === undefined) {
    return { session, waitingFor: null, delivery: null, warnings: [] };
  }
  const outcome = await awaitReady(context, operation, session, request.timeoutMs);
  if (outcome.kind === 'ended' || outcome.kind === 'timeout') {
    const keptPrompt = keepPrompt(context, session, request.prompt);
    const failure = await withRecord(context, session, outcome);
    const survivors = await endFailedStart(context, operation, session, failure);
    throw failedStart(session, failure, { keptPrompt, survivors });
  }
  const up = settleStart(context, operation, session, outcome);
  operation.end();
  return speak(context, up, outcome, request);
}

export function settleStart(
  context: FleetContext,
  operation: Awaited<ReturnType<typeof start>>['operation'],
  session: Session,
  outcome: Extract<StartOutcome, { kind: 'ready' | 'waiting' }>,
): Session {
  const up = recordUp(context, operation, session, outcome.pane);
  drainSpool(context, up, up.launch);
  return context.registry.read((reader) => reader.findSessionById(up.id)) ?? up;
}

async function speak(
  context: FleetContext,
  session: Session,
  outcome: Extract<StartOutcome, { kind: 'ready' | 'waiting' }>,
  { prompt, timeoutMs }: CreateRequest,
): Promise<StartReport> {
  const waitingFor = outcome.kind === 'waiting' ? outcome.detail : null;
  if (prompt === undefined) return { session, waitingFor, delivery: null, warnings: [] };
  const delivery = await send(context, session, { text: prompt, until: 'submitted', timeoutMs });
  const now = context.registry.read((reader) => reader.findSessionById(session.id)) ?? session;
  return { session: now, waitingFor, delivery, warnings: [] };
}

/** A prompt whose agent never became ready is kept beside the launch, and said where. */
function keepPrompt(
  context: FleetContext,
  session: Session,
  prompt: string | undefined,
): string | undefined {
  if (prompt === undefined) return undefined;
  const path = `${launchFolder(context, session.launch)}/prompt-not-delivered.txt`;
  context.files.write(path, prompt, 0o600);
  return path;
}
