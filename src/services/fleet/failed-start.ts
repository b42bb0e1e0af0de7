import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { isoNow } from '../../ports/clock.ts';
import type { StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { launchFolder } from './launching.ts';
import type { HeldOperation } from './operations.ts';
import { plainText } from './screen-text.ts';
import { sessionProcesses } from './session-processes.ts';
import { drainSpool } from './spool.ts';

type Failure = Extract<StartOutcome, { kind: 'ended' | 'timeout' }>;

const KILL_ROUNDS = 50;
const ROUND_MS = 40;

/**
 * Ends what is left of a start that failed. A create leaves a `terminated` row and a free name; a resume
 * puts `former` back.
 */
export async function endFailedStart(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  outcome: Failure,
  former?: Session,
): Promise<void> {
  const { multiplexer, files, clock } = context;
  const folder = launchFolder(context, session.launch);
  files.write(`${folder}/stopping`, '', 0o600);
  sessionProcesses(context, session, []);
  if (session.tmux) await multiplexer.killSession(session.tmux.sessionId, session.launch);
  await killAll(context, session);
  drainSpool(context, session, session.launch);
  const at = isoNow(clock);
  const reason = outcome.kind === 'timeout' ? 'was not ready in time' : 'ended before it was ready';
  const exitCode = outcome.kind === 'ended' ? (outcome.status ?? null) : null;
  operation.update((tx) => {
    const launch = tx.findLaunch(session.launch);
    if (launch) tx.putLaunch({ ...launch, state: 'ended', endedAt: at });
    const current = tx.findSessionById(session.id) ?? session;
    const lastScreen = plainText(outcome.screen) || null;
    tx.putSession(
      former
        ? { ...former, lastScreen: former.lastScreen ?? lastScreen }
        : {
            ...current,
            ...{ tmux: null, pane: null, agentProcess: null },
            status: 'terminated',
            lastScreen,
            ended: { reason, exitCode, at, by: 'user' },
          },
    );
  });
  files.remove(`${folder}/stopping`);
}

async function killAll(context: FleetContext, session: Session): Promise<void> {
  const { processes, clock } = context;
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const { members } = sessionProcesses(context, session, []);
    if (members.length === 0) return;
    const signal = round === 0 ? 'SIGTERM' : 'SIGKILL';
    for (const member of members) processes.signal(member, signal);
    await clock.sleep(ROUND_MS);
  }
}

/** @param keptPrompt - Where a prompt that was not delivered lies. */
export function failedStart(
  session: Session,
  outcome: Failure,
  keptPrompt: string | undefined,
): MamError {
  const screen = plainText(outcome.screen).split('\n').slice(-12).join('\n');
  const shown = screen === '' ? 'Its screen was empty.' : `Its last screen:\n${screen}`;
  const kept =
    keptPrompt === undefined ? '' : ` The prompt was not delivered and is kept in ${keptPrompt}.`;
  const details = {
    session: session.name,
    screen,
    ...(keptPrompt === undefined ? {} : { prompt_file: keptPrompt }),
  };
  if (outcome.kind === 'timeout') {
    return new MamError(
      'agent.not-ready',
      `Agent "${session.agent}" of "${session.name}" was not ready in time and was ended.${kept} ${shown}`,
      details,
      { hint: 'create.timeout_s in .mam/config.yaml, or --timeout, gives it longer.' },
    );
  }
  const status = outcome.status === undefined ? 'an unknown status' : `status ${outcome.status}`;
  return new MamError(
    'agent.start-failed',
    `Agent "${session.agent}" of "${session.name}" ended with ${status} before it was ready.${kept} ${shown}`,
    { ...details, exit_code: outcome.status ?? null },
    { hint: `mam doctor --agent ${session.agent}` },
  );
}
