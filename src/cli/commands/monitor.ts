import type { Acted } from '../../app/mam.ts';
import { errorExitCodes, MamError } from '../../domain/errors.ts';
import type { MonitorFile } from '../../protocol/monitor-file.ts';
import type { CliCommand, CommandContext, Options } from '../command.ts';
import { openOptions, withMam } from '../with-mam.ts';

const VERBS = ['start', 'stop', 'status', 'run', 'once'];

export const monitor: CliCommand = {
  examples: [
    'mam monitor start',
    'mam monitor status',
    'mam monitor stop',
    'mam monitor once --dry-run',
    'mam monitor once --reap',
  ],
  configure: (command) =>
    command
      .argument('<what>', 'start, stop, status, run (in the foreground), once')
      .option('--dry-run', 'once: only tell what would be done')
      .option('--reap', 'once: also end processes that ended sessions left'),
  async run([what = ''], options, context) {
    assertOnceOnly(what, options);
    switch (what) {
      case 'once':
        return once(options, context);
      case 'run':
        return run(context);
      case 'start':
      case 'stop':
        return change(what, context);
      case 'status': {
        const { monitorState } = await import('../../app/monitor-process.ts');
        const state = monitorState(openOptions(context));
        context.out.result({ monitor: stateJson(state) }, () => stateText(state));
        return 0;
      }
      default:
        throw new MamError(
          'usage.invalid',
          `There is no "mam monitor ${what}": it is one of ${VERBS.join(', ')}.`,
          {},
          { hint: 'mam help monitor' },
        );
    }
  },
};

async function once(options: Options, context: CommandContext): Promise<number> {
  return withMam(context, async (mam, out) => {
    const request = { dryRun: options.dryRun === true, reap: options.reap === true };
    const acted = await mam.reconcile(request);
    out.result({ findings: acted.map(findingJson) }, () => findingsText(acted));
    return exitCode(acted);
  });
}

async function run(context: CommandContext): Promise<number> {
  const { runMonitor } = await import('../../app/monitor-process.ts');
  const end = await runMonitor(openOptions(context), context.signal, () =>
    context.out.note('Ctrl-C ends it; what it finds and does is in .mam/logs/monitor.log.'),
  );
  if (end === 'ended') {
    context.out.result({ monitor: { running: false, pid: null } }, () => '');
    return 0;
  }
  const pid = end.pid === null ? '' : `, pid ${end.pid}`;
  context.out.result({ monitor: { running: true, pid: end.pid } }, () => `already running${pid}`);
  return 0;
}

async function change(what: 'start' | 'stop', context: CommandContext): Promise<number> {
  const app = await import('../../app/monitor-process.ts');
  const options = openOptions(context);
  const { did, state } =
    what === 'start'
      ? await app.startMonitor(options, process.argv[1] ?? '')
      : await app.stopMonitor(options);
  const json = stateJson(did === 'stopped' ? undefined : state);
  context.out.result({ monitor: json }, () => changeText(what, did, state));
  return 0;
}

function changeText(
  what: 'start' | 'stop',
  did: 'started' | 'stopped' | 'nothing',
  state: MonitorFile | undefined,
): string {
  if (did === 'started' && !state?.ready) {
    const why = state?.errors[0] ?? 'no word of it yet';
    return `Started, pid ${state?.pid}; it could not look yet and goes on trying: ${why}`;
  }
  if (did === 'started') return `Started, pid ${state?.pid}`;
  if (did === 'stopped') return `Stopped, pid ${state?.pid}`;
  if (what === 'stop') return 'No monitor was running';
  return `Already ${state?.ready ? 'running' : 'starting'}, pid ${state?.pid}`;
}

function stateJson(state: MonitorFile | undefined) {
  if (!state) return { running: false, pid: null };
  const { pid, started_at, last_reconcile, cpu_ms, turns, acts, sessions, queues, errors } = state;
  const uptimeMs = Date.now() - Date.parse(started_at);
  return {
    ...{ running: true, responding: isResponding(state) },
    ...{ pid, uptime_s: Math.round(uptimeMs / 1_000), last_reconcile },
    cost: { cpu_ms, core_percent: Math.round((cpu_ms / Math.max(uptimeMs, 1)) * 1_000) / 10 },
    ...{ sessions, queues, turns, acts, errors, control_mode: state.control_mode },
  };
}

function stateText(state: MonitorFile | undefined): string {
  if (!state) return 'No monitor runs here. Next: mam monitor start';
  const { pid, started_at, last_reconcile, turns, acts, sessions, control_mode, errors } = state;
  const silent = isResponding(state) ? '' : `, no word since ${state.written_at}: is it stopped?`;
  return [
    `Running${silent}, pid ${pid}, since ${started_at}, last look ${last_reconcile ?? 'not yet'}`,
    `${sessions} session(s), ${turns} look(s), ${acts} act(s), control mode ${control_mode ? 'on' : 'off'}`,
    ...errors.map((error) => `error: ${error}`),
  ].join('\n');
}

/** Written every two seconds by a process that runs. */
const SILENT_MS = 10_000;

function isResponding({ written_at }: MonitorFile): boolean {
  return Date.now() - Date.parse(written_at) < SILENT_MS;
}

function assertOnceOnly(what: string, { dryRun, reap }: Options): void {
  if (what === 'once' || (!dryRun && !reap)) return;
  throw new MamError('usage.invalid', '--dry-run and --reap are of mam monitor once.', {});
}

/** A process that survived, else the first error; findings alone are no failure. */
function exitCode(acted: readonly Acted[]): number {
  if (acted.some(({ outcome }) => outcome === 'survived')) return errorExitCodes['stop.survivors'];
  return acted.find(({ error }) => error !== null)?.error?.exitCode ?? 0;
}

function findingJson({ finding, outcome, error }: Acted) {
  const { drift, session, action, reason, evidence } = finding;
  const failure = error && { error: { code: error.code, message: error.message } };
  return { drift, session, action, reason, evidence, outcome, ...failure };
}

function findingsText(acted: readonly Acted[]): string {
  if (acted.length === 0) return 'Registry and tmux agree.';
  return acted
    .flatMap(({ finding, outcome, error }) => {
      const { drift, session, action, reason, evidence } = finding;
      const what = action === 'none' ? '' : ` [${action}${outcome === null ? '' : `: ${outcome}`}]`;
      const facts = [...evidence, ...(error ? [error.message] : [])].map((fact) => `    ${fact}`);
      return [`${drift} ${session ?? 'server'}: ${reason}${what}`, ...facts];
    })
    .join('\n');
}
