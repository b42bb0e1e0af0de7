import { MamError } from '../domain/errors.ts';
import type { Session } from '../domain/session.ts';
import type { ReadContext } from '../services/fleet/context.ts';
import { observeSession } from '../services/fleet/observe.ts';
import { serverUnreachable } from '../services/fleet/server-reach.ts';
import { getSession } from '../services/fleet/status.ts';
import { degraded, openReader } from './open-reader.ts';
import type { OpenOptions } from './surroundings.ts';

export interface AttachRequest {
  readonly readOnly: boolean;
  /** In the terminal's size, until the last client detaches. */
  readonly fit: boolean;
}

export interface AttachPlan {
  readonly argv: readonly string[];
  /** The tmux server we are inside of: ours (switch there), another (never nest), or none. */
  readonly inside: 'same' | 'other' | 'none';
  /** Lets the window follow the client's size, where that was asked for. Right before the attach. */
  prepare(): Promise<void>;
}

/**
 * How to open a session in this terminal.
 *
 * @throws {MamError} `session.unknown`, `session.wrong-state`, `tmux.unreachable`.
 */
export async function planAttach(
  options: OpenOptions,
  name: string,
  request: AttachRequest,
): Promise<AttachPlan> {
  using reader = await openReader(options);
  if (reader.degraded !== null) throw degraded(reader.degraded);
  const { context } = reader;
  const session = getSession(context, name);
  const { pane, server } = await observeSession(context, session);
  if (server === 'unreachable') throw serverUnreachable(context, `attach to "${session.name}"`);
  if (!pane) throw withoutTerminal(session);
  const { multiplexer } = context;
  const inside = serverAround(context);
  const argv =
    inside === 'same'
      ? multiplexer.switchCommand(pane.sessionId)
      : multiplexer.attachCommand(pane.sessionId, request);
  return {
    argv,
    inside,
    prepare: async () => {
      if (request.fit) await multiplexer.fitWindow(pane);
    },
  };
}

/** `TMUX` is SOCKET,SERVER_PID,SESSION; one path may be written in two ways. */
function serverAround({ env, files, multiplexer }: ReadContext): AttachPlan['inside'] {
  const outer = env.TMUX?.replace(/,\d+,\d+$/, '');
  if (!outer) return 'none';
  const real = (path: string) => files.realPath(path) ?? path;
  return real(outer) === real(multiplexer.socket) ? 'same' : 'other';
}

function withoutTerminal(session: Session): MamError {
  return new MamError(
    'session.wrong-state',
    `Session "${session.name}" has no terminal to attach to: it is ${session.status}.`,
    { session: session.name, status: session.status },
    { hint: `mam status ${session.name} · mam resume ${session.name}` },
  );
}
