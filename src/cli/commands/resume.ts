import type { Outcome, StartReport } from '../../app/mam.ts';
import { type CliCommand, text } from '../command.ts';
import { errorJson } from '../io.ts';
import {
  deliveryExitCode,
  deliveryLine,
  startExitCode,
  waitingLine,
  worstExitCode,
} from '../outcome.ts';
import { invalid, promptText, secondsToMs } from '../parse.ts';
import { viewJson } from '../view.ts';
import { withMam } from '../with-mam.ts';

export const resume: CliCommand = {
  examples: ['mam resume api', 'mam resume api --prompt "go on"', 'mam resume --all'],
  configure: (command) =>
    command
      .argument('[names...]', 'sessions')
      .option('--all', 'every session that is not alive and can be resumed')
      .option('--prompt <text>', 'then deliver this; - reads standard input')
      .option('--prompt-file <file>', 'then deliver this file; - reads standard input')
      .option('--conversation <id>', 'the conversation to come back on, for one session')
      .option('--fresh', 'begin a new conversation when the old one is not there')
      .option('--when-limit-lifts', 'wait until its usage limit has lifted, then go on')
      .option('--timeout <seconds>', 'how long to wait for each; default: create.timeout_s'),
  async run(names, options, context) {
    if ((options.all === true) === names.length > 0) {
      throw invalid('Name the sessions to resume, or give --all; one of the two.');
    }
    if (options.all === true && options.whenLimitLifts === true) {
      throw invalid('--when-limit-lifts is for sessions that are named: it waits for each.');
    }
    const conversationId = text(options, 'conversation');
    if (conversationId !== undefined && names.length !== 1) {
      throw invalid('--conversation is for one session: a conversation belongs to one.');
    }
    const prompt = await promptText(
      text(options, 'prompt'),
      text(options, 'promptFile'),
      context.signal,
    );
    const goesOn = options.whenLimitLifts === true;
    return withMam(context, async (mam, out) => {
      const progress = (outcome: Outcome<StartReport>, done: number, of: number) => {
        if (of > 1)
          out.note(
            `mam: ${done} of ${of}: ${outcome.name} ${outcome.error ? 'failed' : 'is back'}`,
          );
      };
      const request = {
        ...(prompt === undefined ? {} : { prompt }),
        ...(conversationId === undefined ? {} : { conversationId }),
        fresh: options.fresh === true,
        ...(goesOn ? { whenLimitLifts: true } : {}),
        timeoutMs: secondsToMs(options, 'timeout', mam.settings.create.timeoutMs),
      };
      const wanted = options.all === true ? 'all' : names;
      const outcomes = await mam.resume(wanted, request, progress);
      const resumed = outcomes.flatMap(({ report }) => report ?? []);
      const views = await mam.viewsOf(resumed.map(({ session }) => session));
      for (const { warnings, session, waitingFor } of resumed) {
        for (const warning of warnings) out.note(`mam: ${warning}`);
        if (waitingFor) out.note(waitingLine(session.name, waitingFor));
      }
      const failed = outcomes.flatMap(({ name, error }) =>
        error ? [{ name, error: errorJson(error) }] : [],
      );
      out.result({ sessions: views.map(viewJson), failed }, () =>
        outcomes.length === 0
          ? 'Nothing to resume.'
          : outcomes.map((outcome) => line(outcome, goesOn)).join('\n'),
      );
      return worstExitCode(outcomes.map(exitCode));
    });
  },
};

/** @param goesOn - It may have been running all the time: then it was not brought back. */
function line({ name, report, error }: Outcome<StartReport>, goesOn: boolean): string {
  if (error)
    return `${name}: not resumed. ${error.message}${error.hint ? `\n  → ${error.hint}` : ''}`;
  const { session, delivery } = report;
  const proof = delivery ? `\n${deliveryLine(delivery).text}` : '';
  const { conversationId } = session;
  const done = goesOn ? `${session.name} goes on with` : `Resumed ${session.name} on`;
  return `${done} conversation ${conversationId}${proof}`;
}

function exitCode({ report, error }: Outcome<StartReport>): number {
  if (error) return error.exitCode;
  const { delivery } = report;
  return Math.max(startExitCode(report), delivery ? deliveryExitCode(delivery) : 0);
}
