import { MamError } from '../domain/errors.ts';
import { observeSession } from '../services/fleet/observe.ts';
import { plainText } from '../services/fleet/screen-text.ts';
import { serverUnreachable } from '../services/fleet/server-reach.ts';
import { getSession } from '../services/fleet/status.ts';
import { degraded, openReader } from './open-reader.ts';
import type { OpenOptions } from './surroundings.ts';

export interface CapturedScreen {
  readonly screen: string;
  readonly cols: number;
  readonly rows: number;
  /** The tmux mode that lies over it, or null. */
  readonly mode: string | null;
}

/**
 * The agent's screen; writes nothing.
 *
 * @throws {MamError} `session.unknown`, `session.wrong-state` when it has no pane, `tmux.unreachable`.
 */
export async function captureScreen(
  options: OpenOptions,
  name: string,
  { historyLines, ansi }: { readonly historyLines: number; readonly ansi: boolean },
): Promise<CapturedScreen> {
  using reader = await openReader(options);
  if (reader.degraded !== null) throw degraded(reader.degraded);
  const { context } = reader;
  const session = getSession(context, name);
  const { pane, server } = await observeSession(context, session);
  if (server === 'unreachable') throw serverUnreachable(context, `capture "${session.name}"`);
  const captured = pane && (await context.multiplexer.capture(pane.paneId, { historyLines }));
  if (!pane || captured === undefined) {
    throw new MamError(
      'session.wrong-state',
      `Session "${session.name}" has no pane to capture: it is ${session.status}.`,
      { session: session.name, status: session.status },
      { hint: `mam status ${session.name} --json shows its last screen` },
    );
  }
  const screen = ansi ? captured : plainText(captured);
  return { screen, cols: pane.cols, rows: pane.rows, mode: pane.mode ?? null };
}
