import { join } from 'node:path';
import { demo } from '../../src/agents/demo/index.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { nodeFiles } from '../../src/drivers/node/files.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { nodeProgramRunner } from '../../src/drivers/node/program-runner.ts';
import { sqliteClaims } from '../../src/drivers/sqlite/claims.ts';
import type { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { TmuxMultiplexer } from '../../src/drivers/tmux/tmux-multiplexer.ts';
import type { AgentAdapter } from '../../src/ports/agent-adapter.ts';
import type { FleetContext } from '../../src/services/fleet/context.ts';

/**
 * A fleet in a folder, of real parts: processes, files, registry, claims, and a tmux socket that no server
 * listens on. Its only agent is the demo.
 *
 * @param instead - What the test has its own of.
 */
export function fleetContextIn(
  root: string,
  registry: SqliteRegistry,
  instead: Partial<FleetContext> = {},
): FleetContext {
  return {
    workspace: { root, stateFolder: join(root, '.mam'), id: 'w', isOurs: true, host: 'h' },
    settings: defaultSettings,
    adapters: onlyAgent(demo),
    multiplexer: new TmuxMultiplexer({
      ...{ program: 'tmux', socket: join(root, 'sock'), configFile: '/dev/null' },
      ...{ env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000, inPlace: false },
    }),
    processes: openProcessTable(),
    files: nodeFiles(join(import.meta.dirname, '../../src/assets')),
    clock: systemClock,
    logger: { debug: () => undefined, warn: () => undefined },
    readRegistry: (fn) => registry.read(fn),
    env: { HOME: root },
    uid: process.getuid?.() ?? 0,
    userFolder: join(root, 'user'),
    registry,
    claims: sqliteClaims(join(root, 'claims.db')),
    programs: nodeProgramRunner,
    signal: new AbortController().signal,
    ...instead,
  };
}

export function onlyAgent(adapter: AgentAdapter): FleetContext['adapters'] {
  const get = () => adapter;
  const load = async () => undefined;
  return { kinds: [adapter.kind], get, named: get, load, builtIn: () => undefined };
}
