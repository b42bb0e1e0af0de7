import { MamError } from '../../domain/errors.ts';
import type { NewSessionRequest, NewTmuxSession } from '../../ports/multiplexer.ts';
import { requirePaneId, requireSessionId, requireWord } from './guard.ts';
import { COLS, ROWS } from './server-config.ts';

/** `new-session` is tried a second time after these: the server was just going away. */
export const GOING_AWAY = /server exited unexpectedly|lost server/;
const DUPLICATE = /^duplicate session: /m;

/** Session and tags in one command list: a pane of ours always names its launch. */
export function newSessionCommand(request: NewSessionRequest): string[] {
  const format = '#{session_id} #{pane_id} #{pane_pid} #{pid} #{session_name}';
  const { identity } = request;
  // On the window too: in a grouped session of a person's the pane is looked at without its own session.
  const set = (name: string, value: string) => [
    ...[';', 'set-option', name, requireWord(value)],
    ...[';', 'set-option', '-w', name, requireWord(value)],
  ];
  return [
    ...['new-session', '-d', '-x', String(COLS), '-y', String(ROWS), '-s', request.name],
    ...['-P', '-F', format, '--', ...request.argv],
    ...[';', 'set-option', '-w', 'window-size', 'manual'],
    ...set('@mam_ws', request.workspaceId),
    ...set('@mam_session', request.sessionId),
    ...set('@mam_launch', request.launchId),
    // Names are of any script: as arguments of their own they are never parsed.
    ...[';', 'set-option', '@mam_name', identity.name],
    ...[';', 'set-option', '@mam_role', identity.role],
    ...[';', 'set-option', '@mam_agent', identity.agent],
  ];
}

export function parseNewSession(stdout: string): NewTmuxSession {
  const [sessionId = '', paneId = '', panePid, serverPid, ...name] = stdout.trimEnd().split(' ');
  return {
    sessionId: requireSessionId(sessionId),
    paneId: requirePaneId(paneId),
    panePid: Number(panePid),
    serverPid: Number(serverPid),
    sessionName: name.join(' '),
  };
}

/** Set when tmux has a session of this name that no row of ours stands for. */
export function duplicateName(request: NewSessionRequest, stderr: string): MamError | undefined {
  if (!DUPLICATE.test(stderr)) return undefined;
  return new MamError(
    'name.taken',
    `Our tmux server has a session "${request.name}" already, and mam did not make it.`,
    { tmux_session: request.name },
    { hint: 'End or rename that tmux session, or take another name.' },
  );
}
