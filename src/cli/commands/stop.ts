import type { Outcome, PurgeReport, StopReport } from '../../app/mam.ts';
import { errorExitCodes } from '../../domain/errors.ts';
import type { CliCommand } from '../command.ts';
import { errorJson } from '../io.ts';
import { worstExitCode } from '../outcome.ts';
import { invalid, wholeNumber } from '../parse.ts';
import { viewJson } from '../view.ts';
import { withMam } from '../with-mam.ts';

const GRACE_MS = 3_000;
const MAX_GRACE_MS = 600_000;

export const stop: CliCommand = {
  examples: ['mam stop api', 'mam stop --all', 'mam stop api --purge-conversation'],
  configure: (command) =>
    command
      .argument('[names...]', 'sessions')
      .option('--all', 'every running session')
      .option('--purge-conversation', "remove this conversation's files too; it cannot be resumed")
      .option(
        '--grace-ms <ms>',
        `how long its own word may take; default ${GRACE_MS}, 0: TERM at once`,
      ),
  async run(names, options, context) {
    if ((options.all === true) === names.length > 0) {
      throw invalid('Name the sessions to stop, or give --all; one of the two.');
    }
    const graceMs = wholeNumber(options, 'graceMs', GRACE_MS, MAX_GRACE_MS);
    const purge = options.purgeConversation === true;
    return withMam(context, async (mam, out) => {
      const outcomes = await mam.stop(options.all === true ? 'all' : names, { graceMs, purge });
      const reports = outcomes.flatMap(({ report }) => report ?? []);
      const views = await mam.viewsOf(reports.map(({ session }) => session));
      const json = views.flatMap((view, i) => {
        const report = reports[i];
        return report ? [stoppedJson(report, viewJson(view))] : [];
      });
      const failed = outcomes.flatMap(({ name, error }) =>
        error ? [{ name, error: errorJson(error) }] : [],
      );
      out.result({ sessions: json, ...(failed.length > 0 ? { failed } : {}) }, () =>
        outcomes.length === 0 ? 'No session runs.' : outcomes.map(line).join('\n'),
      );
      return worstExitCode(outcomes.map(exitCode));
    });
  },
};

function stoppedJson(report: StopReport, session: object) {
  return {
    ...session,
    was_running: report.wasRunning,
    ended_by: report.endedBy,
    proof: report.proof,
    survivors: report.survivors,
    left: report.left,
    ...(report.purge ? { purged: purgedJson(report.purge) } : {}),
  };
}

function purgedJson({ removed, quotedIn, missing }: PurgeReport) {
  return {
    removed,
    quoted_in: quotedIn,
    missing: missing.map(({ conversationId, looked }) => ({
      conversation_id: conversationId,
      looked,
    })),
  };
}

function line({ name, report, error }: Outcome<StopReport>): string {
  if (error) return `${name}: ${error.message}${error.hint ? `\n  → ${error.hint}` : ''}`;
  const lines = [headline(name, report)];
  for (const { pid, cmd } of report.survivors) lines.push(`  still alive: ${pid} ${cmd}`);
  for (const { pid, cmd } of report.left) lines.push(`  left, because it is shared: ${pid} ${cmd}`);
  for (const path of report.purge?.removed ?? []) lines.push(`  removed ${path}`);
  for (const path of report.purge?.quotedIn ?? []) {
    lines.push(`  left, because it is shared and may quote the conversation: ${path}`);
  }
  for (const { conversationId, looked } of report.purge?.missing ?? []) {
    const where = looked.length === 0 ? '' : ` (looked at ${looked.join(', ')})`;
    lines.push(`  not found: conversation ${conversationId ?? 'that nobody knows'}${where}`);
  }
  return lines.join('\n');
}

function headline(
  name: string,
  { survivors, wasRunning, formerStatus, proof, endedBy, purge }: StopReport,
): string {
  if (survivors.length > 0)
    return `${name} is not stopped: ${survivors.length} process(es) survived`;
  const purged = purge ? `, ${purgedWords(purge)}` : '';
  const wasBefore = formerStatus === 'stopped' ? 'was already stopped' : 'had already ended';
  if (!wasRunning) return `${name} ${wasBefore}${purged}`;
  const left =
    proof === 'subreaper' ? 'all of its processes are gone' : 'no process known to mam is left';
  return `Stopped ${name} (${endedBy})${purged}; ${left}`;
}

function purgedWords({ missing }: PurgeReport): string {
  return missing.length === 0 ? 'conversation purged' : 'purged but for what was not found';
}

function exitCode({ report, error }: Outcome<StopReport>): number {
  if (error) return error.exitCode;
  if (report.survivors.length > 0) return errorExitCodes['stop.survivors'];
  return report.purge?.missing.length ? errorExitCodes['conversation.unknown'] : 0;
}
