import { crashPoint } from '../../base/crash-point.ts';
import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { isoNow } from '../../ports/clock.ts';
import { afterwards } from './afterwards.ts';
import type { StartOutcome } from './await-ready.ts';
import { releaseConversations } from './claims.ts';
import type { FleetContext } from './context.ts';
import { drainSpool } from './drain.ts';
import { endEmptyServer } from './empty-server.ts';
import { keepConversation } from './keep-conversation.ts';
import { readExit, readIdentityFile } from './launch-folder.ts';
import { LaunchProcesses } from './launch-processes.ts';
import { launchFolder } from './launch-records.ts';
import type { HeldOperation } from './operations.ts';
import { plainText } from './screen-text.ts';
import { atRest } from './session-end.ts';

export type Failure = Extract<StartOutcome, { kind: 'ended' | 'timeout' }>;

/** How long the recorder may take from the agent's end to its record of it. Milliseconds. */
const RECORD_MS = 2_000;
const POLL_MS = 20;

/** The agent may be seen dead before its recorder has written how it ended, and what it showed last. */
export async function withRecord(
  context: FleetContext,
  session: Session,
  outcome: Failure,
): Promise<Failure> {
  if (outcome.kind === 'timeout' || outcome.status !== undefined) return outcome;
  const { files, clock, processes } = context;
  const folder = launchFolder(context, session.launch);
  const recorder = readIdentityFile(files, `${folder}/inner`);
  const deadline = clock.monotonicMs() + RECORD_MS;
  while (recorder && processes.isAlive(recorder) && clock.monotonicMs() < deadline) {
    if (readExit(files, folder)) break;
    await clock.sleep(POLL_MS);
  }
  const exit = readExit(files, folder);
  const screen = files.readText(`${folder}/screen`) ?? outcome.screen;
  return { kind: 'ended', status: exit?.status, screen };
}

/**
 * Ends what is left of a start that failed. A create leaves a `terminated` row and a free name; a resume
 * puts `former` back.
 *
 * The failure is what the caller must hear: what could not be done here is a warning, and the session then
 * counts as running, for the stop that tries again.
 *
 * @returns Pids that could not be ended; `mam stop` tries again.
 */
export async function endFailedStart(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  outcome: Failure,
  former?: Session,
): Promise<readonly number[]> {
  const failure = `The start of "${session.name}" was not cleared away; mam stop ${session.name} tries again`;
  const end = () => endStart(context, operation, session, outcome, former);
  const survivors = (await afterwards(context, failure, end)) ?? [];
  await afterwards(context, 'The tmux server could not be looked after', () =>
    endEmptyServer(context),
  );
  return survivors;
}

async function endStart(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  outcome: Failure,
  former: Session | undefined,
): Promise<readonly number[]> {
  const { multiplexer, files, clock } = context;
  const folder = launchFolder(context, session.launch);
  // The recorder stays the parent of what the agent left until none of it is alive.
  files.write(`${folder}/stopping`, '', 0o600);
  const processes = new LaunchProcesses(context, session);
  processes.look();
  await afterwards(context, `The pane of "${session.name}" could not be ended`, async () => {
    if (session.tmux) await multiplexer.killSession(session.tmux.sessionId, session.launch);
  });
  await processes.end();
  await keepConversation(context, session);
  const survivors = (await processes.survivors()).members.map(({ pid }) => pid);
  crashPoint('failed.ended');
  drainSpool(context, session, session.launch);
  const at = isoNow(clock);
  // What survived is found by its launch: then the session stays on this one.
  const back = former && survivors.length > 0 ? { ...former, launch: session.launch } : former;
  operation.update((tx) => {
    const launch = tx.findLaunch(session.launch);
    if (launch) tx.putLaunch({ ...launch, state: 'ended', endedAt: at });
    const current = tx.findSessionById(session.id) ?? session;
    tx.putSession(afterFailure(current, outcome, at, back));
  });
  // While something lives the recorder stays its parent, for the stop that tries again.
  if (survivors.length === 0) {
    files.remove(`${folder}/stopping`);
    await releaseConversations(context, session.launch);
  }
  return survivors;
}

function afterFailure(
  current: Session,
  outcome: Failure,
  at: string,
  former: Session | undefined,
): Session {
  const lastScreen = plainText(outcome.screen) || null;
  if (former) return { ...former, lastScreen: former.lastScreen ?? lastScreen };
  const reason = outcome.kind === 'timeout' ? 'was not ready in time' : 'ended before it was ready';
  const exitCode = outcome.kind === 'ended' ? (outcome.status ?? null) : null;
  return {
    ...atRest(current),
    status: 'terminated',
    lastScreen,
    ended: { reason, exitCode, at, by: 'user' },
  };
}

/** Beside the words of an error; empty when none is left. */
export function survivorsWords(survivors: readonly number[]): string {
  if (survivors.length === 0) return '';
  return ` ${survivors.length} process(es) of it could not be ended (${survivors.join(', ')}).`;
}

interface FailureReport {
  /** What was said before the start and may explain it. */
  readonly warnings?: readonly string[];
  /** Where a prompt that was not delivered lies. */
  readonly keptPrompt?: string | undefined;
  readonly survivors: readonly number[];
}

export function failedStart(
  session: Session,
  outcome: Failure,
  { keptPrompt, survivors, warnings = [] }: FailureReport,
): MamError {
  const screen = plainText(outcome.screen).split('\n').slice(-12).join('\n');
  const shown = screen === '' ? 'Its screen was empty.' : `Its last screen:\n${screen}`;
  const kept =
    keptPrompt === undefined ? '' : ` The prompt was not delivered and is kept in ${keptPrompt}.`;
  const told = [survivorsWords(survivors), kept, ...warnings.map((warning) => ` ${warning}`)].join(
    '',
  );
  const details = {
    session: session.name,
    screen,
    ...(keptPrompt === undefined ? {} : { prompt_file: keptPrompt }),
    ...(survivors.length === 0 ? {} : { survivors }),
  };
  if (outcome.kind === 'timeout') {
    return new MamError(
      'agent.not-ready',
      `Agent "${session.agent}" of "${session.name}" was not ready in time and was ended.${told} ${shown}`,
      details,
      { hint: 'create.timeout_s in .mam/config.yaml, or --timeout, gives it longer.' },
    );
  }
  const status = outcome.status === undefined ? 'an unknown status' : `status ${outcome.status}`;
  return new MamError(
    'agent.start-failed',
    `Agent "${session.agent}" of "${session.name}" ended with ${status} before it was ready.${told} ${shown}`,
    { ...details, exit_code: outcome.status ?? null },
    { hint: startHint(session) },
  );
}

/** The agent's words are of its own options, and whoever reads them may take them for ours. */
function startHint({ agent, extraArgs }: Session): string {
  const doctor = `mam doctor --agent ${agent}`;
  if (extraArgs.length === 0) return doctor;
  return `What follows -- is given to ${agent} itself, which may not know it · ${doctor}`;
}
