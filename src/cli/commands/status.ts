import type { FleetStatus, SessionStatusView } from '../../app/mam.ts';
import { activityStates } from '../../domain/activity.ts';
import { errorExitCodes } from '../../domain/errors.ts';
import { type CliCommand, text } from '../command.ts';
import { invalid, oneOf, secondsToMs } from '../parse.ts';
import { viewJson } from '../view.ts';
import { openOptions } from '../with-mam.ts';
import { isReaderGone } from '../write.ts';

const WAIT_MS = 60_000;

export const status: CliCommand = {
  plain: { min: 0, max: 1 },
  examples: ['mam status', 'mam status api --wait idle --timeout 300', 'mam status --json'],
  configure: (command) =>
    command
      .argument('[name]', 'one session; default: all')
      .option('--wait <state>', 'wait until its activity is this, or "changed"')
      .option('--watch', 'print it again at each change, until Ctrl-C')
      .option('--timeout <seconds>', `how long --wait waits; default ${WAIT_MS / 1000}`),
  async run([name], options, context) {
    const until = oneOf(options, 'wait', [...activityStates, 'changed']);
    if (until && name === undefined) throw invalid('--wait needs the name of a session.');
    const timeoutMs = secondsToMs(options, 'timeout', WAIT_MS);
    const { openStatus } = await import('../../app/open-status.ts');
    const watched = options.watch === true ? await import('../reader-gone.ts') : undefined;
    using output = watched?.watchOutput();
    const signal = output ? AbortSignal.any([context.signal, output.signal]) : context.signal;
    using reader = await openStatus(openOptions({ ...context, signal }));
    const print = (found: FleetStatus) => {
      const whole = reader.summary(found);
      const sessions = found.sessions.map(viewJson);
      context.out.result({ ...whole, sessions }, () => statusText(found));
    };
    if (text(options, 'wait') !== undefined && until && name !== undefined) {
      print(await reader.waitFor(name, until, timeoutMs));
    } else if (output) {
      await printEach(reader.watch(name), print, output.signal);
    } else {
      print(await reader.status(name));
    }
    if (reader.degraded === null) return 0;
    context.out.note(`mam: ${reader.degraded}`);
    return errorExitCodes['registry.damaged'];
  },
};

/** Until Ctrl-C, or until nobody reads it any more. */
async function printEach(
  all: AsyncIterable<FleetStatus>,
  print: (found: FleetStatus) => void,
  readerGone: AbortSignal,
): Promise<void> {
  try {
    for await (const found of all) {
      print(found);
      if (isReaderGone()) return;
    }
  } catch (error) {
    if (!readerGone.aborted) throw error;
  }
}

/** One line a session; a table that a person can read and `awk` can cut. */
function statusText({ sessions }: FleetStatus): string {
  if (sessions.length === 0) {
    return 'No sessions. Next: mam create NAME --agent demo --role creator';
  }
  const rows = sessions.map(row);
  const header = ['NAME', 'AGENT', 'ROLE', 'STATUS', 'ACTIVITY', 'BY', 'SINCE', 'FOLDER'];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const render = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(render).join('\n');
}

function row({ session, activity, hooks, pane }: SessionStatusView): readonly string[] {
  const detail = activity.detail === undefined ? '' : ` (${activity.detail})`;
  const mode = pane?.mode === undefined ? '' : ` [${pane.mode}]`;
  const since = activity.sinceMs === undefined ? '-' : new Date(activity.sinceMs).toISOString();
  return [
    session.name,
    session.agent,
    session.role,
    session.status,
    `${activity.state}${detail}${mode}`,
    hooks === 'silent' ? `${activity.source}, no hooks` : activity.source,
    since.slice(0, 19),
    session.cwd,
  ];
}
