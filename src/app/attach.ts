import { MamError } from '../domain/errors.ts';
import type { Multiplexer } from '../ports/multiplexer.ts';
import { observeSession } from '../services/fleet/observe.ts';
import { getSession } from '../services/fleet/status.ts';
import { openReader } from './open-reader.ts';
import type { OpenOptions } from './surroundings.ts';

const SIZE = { cols: 140, rows: 40 } as const;

export interface AttachPlan {
  readonly argv: readonly string[];
  /** The tmux server we are inside of: ours (switch there), another (never nest), or none. */
  readonly inside: 'same' | 'other' | 'none';
  /** Gives the window the terminal's size, or our own size back. */
  fit(size: 'client' | 'own'): Promise<void>;
}

/** How to open a session in this terminal. @throws {MamError} `session.unknown`, `session.wrong-state` */
export async function planAttach(
  options: OpenOptions,
  name: string,
  readOnly: boolean,
): Promise<AttachPlan> {
  using reader = await openReader(options);
  const { context } = reader;
  const session = getSession(context, name);
  const { pane } = await observeSession(context, session);
  if (!pane) {
    throw new MamError(
      'session.wrong-state',
      `Session "${session.name}" has no terminal to attach to: it is ${session.status}.`,
      { session: session.name },
      { hint: `mam resume ${session.name}` },
    );
  }
  const { multiplexer, env } = context;
  const outer = env.TMUX?.replace(/,\d+,\d+$/, '');
  const inside = outer === undefined ? 'none' : outer === multiplexer.socket ? 'same' : 'other';
  const attach = multiplexer.attachCommand(pane.sessionId, { readOnly });
  const argv = inside === 'same' ? multiplexer.switchCommand(pane.sessionId) : attach;
  return { argv, inside, fit: (size) => resize(multiplexer, pane.paneId, size) };
}

function resize(multiplexer: Multiplexer, paneId: string, size: 'client' | 'own'): Promise<void> {
  return multiplexer.setWindowSize(paneId, size === 'client' ? 'client' : SIZE);
}
