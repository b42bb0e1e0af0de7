import { MamError } from '../../domain/errors.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NoticeJson, Notifier } from '../../ports/notifier.ts';
import type { ProgramRunner } from '../../ports/program-runner.ts';

export interface NotifierOptions {
  readonly notify: Settings['notify'];
  readonly programs: ProgramRunner;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** For a command, and for each try of a webhook. Milliseconds. */
const TIMEOUT_MS = 10_000;
/** Before each further try of a webhook. Milliseconds. */
const RETRIES_MS = [1_000, 5_000];
/** What a notifier needs to find its programs, its bus and its screen. */
const PASSED =
  /^(?:HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_.*|TZ|XDG_.*|DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY)$/;
const MAX_SAID = 200;

/** The ways that are configured: a program, and a webhook (JSON; `content` for Discord, `text` for Slack). */
export function notifiers(options: NotifierOptions): readonly Notifier[] {
  const { command, webhook } = options.notify;
  return [
    ...(command.length === 0
      ? []
      : [
          {
            tell: (notice: NoticeJson, signal: AbortSignal) => runCommand(options, notice, signal),
          },
        ]),
    ...(webhook === ''
      ? []
      : [{ tell: (notice: NoticeJson, signal: AbortSignal) => post(options, notice, signal) }]),
  ];
}

async function runCommand(
  { notify, programs, env, cwd }: NotifierOptions,
  notice: NoticeJson,
  signal: AbortSignal,
): Promise<void> {
  const [program = ''] = notify.command;
  const passed = Object.entries(env).filter(([name]) => PASSED.test(name));
  const told = {
    MAM_NOTICE: JSON.stringify(notice),
    MAM_EVENT: notice.event,
    MAM_SESSION: notice.session ?? '',
    MAM_MESSAGE: notice.message,
  };
  const { exitCode, stderr, timedOut } = await programs.run(notify.command, {
    env: { ...Object.fromEntries(passed), ...told },
    cwd,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (exitCode === 0) return;
  const why = timedOut
    ? `did not end within ${TIMEOUT_MS / 1000} s`
    : `ended with ${exitCode ?? 'a signal'}: ${stderr.slice(0, MAX_SAID)}`;
  throw failed(`command ${program}`, why);
}

async function post(
  { notify: { webhook }, clock }: NotifierOptions,
  notice: NoticeJson,
  signal: AbortSignal,
): Promise<void> {
  // Its path and query are a secret: only the host is ever told.
  const where = `webhook at ${new URL(webhook).host}`;
  const told = { content: notice.message, text: notice.message };
  // A name that somebody gave a session calls nobody.
  const body = JSON.stringify({ ...notice, ...told, allowed_mentions: { parse: [] } });
  for (const pauseMs of [0, ...RETRIES_MS]) {
    if (pauseMs > 0) await clock.sleep(pauseMs, signal);
    const answer = await tryToPost(webhook, body, signal);
    if (answer === 'ok') return;
    if (!answer.mayTryAgain || pauseMs === RETRIES_MS.at(-1)) throw failed(where, answer.why);
  }
}

type PostAnswer = 'ok' | { readonly why: string; readonly mayTryAgain: boolean };

async function tryToPost(webhook: string, body: string, signal: AbortSignal): Promise<PostAnswer> {
  try {
    const response = await fetch(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) return 'ok';
    const mayTryAgain = response.status >= 500 || response.status === 429;
    return { why: `answered ${response.status}`, mayTryAgain };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, name } = error as Error;
    const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
    if (name === 'TimeoutError') return { why: 'no answer in time', mayTryAgain: true };
    // Other words of these errors may hold the address.
    const why = message === 'unexpected redirect' ? 'it leads elsewhere' : name;
    return { why: code ?? why, mayTryAgain: code !== undefined };
  }
}

function failed(what: string, why: string): MamError {
  return new MamError('notify.failed', `The notice did not reach the ${what}: ${why}.`, { what });
}
