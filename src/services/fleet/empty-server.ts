import { crashPoint } from '../../base/crash-point.ts';
import type { TmuxServerRecord } from '../../domain/session.ts';
import type { FleetContext } from './context.ts';
import { livingServer } from './server-reach.ts';

/**
 * Whoever ends the last session ends the server: a monitor would hold a keeper session there. tmux
 * itself looks whether it is empty, so a session that is being made in this moment keeps it.
 */
export async function endEmptyServer(context: FleetContext): Promise<void> {
  const { registry, multiplexer } = context;
  const isBusy = registry.read(
    (reader) =>
      reader.sessions().some(({ status }) => status === 'running') ||
      reader.openLaunches().some(({ state }) => state === 'reserved'),
  );
  const record = registry.read((reader) => reader.tmuxServer());
  if (isBusy || !record) return;
  const answer = await multiplexer.killServerIfEmpty();
  crashPoint('server.ended');
  if (answer === 'kept') return;
  // No answer is no proof: a server that lost its socket lives, and must stay known.
  if (answer === 'none' && livingServer(context)) return;
  registry.update((tx) => {
    // Another command may have started the next one meanwhile.
    if (isSame(tx.tmuxServer(), record)) tx.setTmuxServer(undefined);
  });
}

function isSame(a: TmuxServerRecord | undefined, b: TmuxServerRecord): boolean {
  return a?.process.pid === b.process.pid && a.process.startTicks === b.process.startTicks;
}
