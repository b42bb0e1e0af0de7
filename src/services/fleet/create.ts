import { MamError } from '../../domain/errors.ts';
import type { Permissions, Session } from '../../domain/session.ts';
import { assertNameFree, holdsName } from '../../domain/session-rules.ts';
import { afterwards } from './afterwards.ts';
import { awaitReady } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { assertPrompt } from './delivery/send.ts';
import { endFailedStart, failedStart, withRecord } from './failed-start.ts';
import { type StartReport, speakFirst } from './first-words.ts';
import { keepConversations } from './keep-conversation.ts';
import { environment, planLaunch } from './launch-plan.ts';
import { LaunchProcesses } from './launch-processes.ts';
import { launchFolder } from './launch-records.ts';
import { recoverLaunches } from './launch-recovery.ts';
import { type StartedLaunch, start } from './launching.ts';
import { letGo } from './operations.ts';
import { preflight } from './preflight.ts';
import { assertUsableTmux } from './server-reach.ts';
import { planSession } from './session-plan.ts';
import { withWhatRuns } from './what-runs.ts';

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

/**
 * A new session, up and spoken to. Everything that can be refused is refused before anything exists.
 *
 * @throws {MamError} what is wrong with the request (2), the name (4), the machine (5).
 */
export async function create(context: FleetContext, request: CreateRequest): Promise<StartReport> {
  await context.adapters.load([request.agent]);
  const adapter = context.adapters.named(request.agent);
  const { session, extra } = planSession(context, adapter, request);
  if (request.prompt !== undefined) assertPrompt(request.prompt, adapter);
  // Before the checks of the agent, which cost time: the answer is the same, and quicker.
  assertNameFree(
    context.registry.read((reader) => reader.findSession(session.name)),
    session.name,
  );
  await assertUsableTmux(context);
  const env = environment(context, adapter, session, extra);
  const { permissions, cwd } = session;
  const binary = await preflight(context, { adapter, permissions, env, cwd, level: 'fast' });
  await recoverLaunches(context);
  const former = context.registry.read((reader) => reader.findSession(session.name));
  if (former) assertNothingHoldsName(context, former);
  const launchPlan = planLaunch(context, adapter, session, env, binary, 'new');
  const command = launchPlan.argv;
  await keepConversations(context, adapter);
  const started = await start(context, {
    kind: 'create',
    former,
    session: { ...session, startCommand: command, storeFolder: adapter.store.folder(env) },
    adapter,
    plan: launchPlan,
    env,
  });
  try {
    return await bringUp(context, started, request);
  } catch (error) {
    throw withWhatRuns(context, started.session, error);
  } finally {
    await letGo(context, started.session, started.operation);
  }
}

/** What is left of a former start could not be found any more once its session is forgotten. */
function assertNothingHoldsName(context: FleetContext, former: Session): void {
  if (holdsName(former)) return;
  const { members } = new LaunchProcesses(context, former).look();
  const pids = members.map(({ pid }) => pid);
  if (pids.length === 0) return;
  const { name } = former;
  throw new MamError(
    'name.taken',
    `Name "${name}" is not free yet: ${pids.length} process(es) of its former session still run (${pids.join(', ')}).`,
    { session: name, status: former.status, pids },
    { hint: `mam stop ${name}` },
  );
}

async function bringUp(
  context: FleetContext,
  { session, operation }: StartedLaunch,
  request: CreateRequest,
): Promise<StartReport> {
  if (!request.wait && request.prompt === undefined) {
    return { session, waitingFor: null, delivery: null, warnings: [] };
  }
  const outcome = await awaitReady(context, operation, session, request.timeoutMs).catch(
    (error) => {
      throw context.signal.aborted ? leftRunning(session) : error;
    },
  );
  if (outcome.kind === 'ended' || outcome.kind === 'timeout') {
    const keptPrompt = await afterwards(context, 'The prompt could not be kept', () =>
      keepPrompt(context, session, request.prompt),
    );
    const failure = await withRecord(context, session, outcome);
    const survivors = await endFailedStart(context, operation, session, failure);
    throw failedStart(session, failure, { keptPrompt, survivors });
  }
  return { ...(await speakFirst(context, operation, session, outcome, request)), warnings: [] };
}

/** Nobody waits for it any more, and it was made: whoever interrupted must know. */
function leftRunning({ name }: Session): MamError {
  return new MamError(
    'interrupted',
    `Interrupted; session "${name}" was started, and runs.`,
    { session: name },
    { hint: `mam stop ${name} ends it · mam status ${name}` },
  );
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
