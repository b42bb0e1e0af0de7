import { isMamError } from '../domain/errors.ts';
import { defaultSettings } from '../domain/settings.ts';
import { workspacePaths } from '../domain/workspace.ts';
import { nodeProgramRunner } from '../drivers/node/program-runner.ts';
import { areInstalled } from '../services/agent-hooks/agent-hooks.ts';
import { type Check, type DoctorTools, examine } from '../services/doctor/doctor.ts';
import { agentEnvironment } from '../services/fleet/agent-environment.ts';
import type { AdapterSet } from '../services/fleet/context.ts';
import { findBinary, runProbes } from '../services/fleet/preflight.ts';
import { openAdapters } from './adapters.ts';
import { hooksContextOf } from './agent-hooks.ts';
import {
  adapterPlaces,
  locateWorkspace,
  lookAround,
  multiplexerOf,
  type OpenOptions,
  type Surroundings,
  settingsOf,
} from './surroundings.ts';

export type { Check };

/** `mam doctor`. Each part is opened when it is checked, so that a broken one hides no other. */
export async function doctor(options: OpenOptions, agent?: string): Promise<readonly Check[]> {
  const around = lookAround(options);
  const adapters = openAdapters(adapterPlaces(around, findWorkspace(around)));
  await adapters.load(agent === undefined ? adapters.kinds : [agent]);
  const all = adapters.kinds.map((kind) => adapters.get(kind));
  const wanted = agent === undefined ? {} : { agent: adapters.named(agent) };
  return examine({ adapters: all, ...wanted }, toolsOf(around, adapters));
}

function toolsOf(around: Surroundings, adapters: AdapterSet): DoctorTools {
  const { env, uid, files, options } = around;
  const programs = nodeProgramRunner;
  const signal = options.signal ?? new AbortController().signal;
  const probing = { programs, adapters, files, uid, signal };
  return {
    nodeVersion: process.version,
    platform: process.platform,
    env,
    uid,
    files,
    programs,
    openRegistry: async () => {
      const { openForReading } = await import('../drivers/sqlite/open.ts');
      const { connect, pragma } = await import('../drivers/sqlite/connect.ts');
      connect(':memory:').close();
      const db = openForReading(databasePath(around));
      if (!db) return { found: 'no registry yet; the SQLite module works', ok: true };
      const said = String(pragma(db, 'quick_check'));
      const mode = String(pragma(db, 'journal_mode'));
      db.close();
      return { found: said === 'ok' ? `sound, journal mode ${mode}` : said, ok: said === 'ok' };
    },
    openWorkspace: async () => locateWorkspace(around),
    openMultiplexer: async () => {
      const workspace = findWorkspace(around);
      const settings = workspace ? await settingsOf(around, workspace) : defaultSettings;
      return multiplexerOf(around, workspace ?? nowhere(around), settings, undefined);
    },
    findAgent: (adapter) => {
      try {
        return findBinary({ programs, adapters }, adapter, env);
      } catch (error) {
        if (isMamError(error, 'agent.missing')) return undefined;
        throw error;
      }
    },
    hasHooks: (adapter) => areInstalled(hooksContextOf(around), adapter),
    runProbes: (adapter, binary) => {
      const workspace = findWorkspace(around) ?? nowhere(around);
      const agentEnv = agentEnvironment({
        caller: env,
        card: adapter.card,
        markers: [],
        extra: {},
        session: { id: 'doctor', parent: null },
        workspace,
        launch: 'doctor',
        depth: 0,
      });
      const request = {
        adapter,
        permissions: 'ask',
        env: agentEnv,
        cwd: around.cwd,
        level: 'full',
      } as const;
      return runProbes(probing, request, binary);
    },
  };
}

function databasePath(around: Surroundings): string {
  const workspace = findWorkspace(around) ?? nowhere(around);
  return workspacePaths.database(workspace.stateFolder);
}

function findWorkspace(around: Surroundings) {
  try {
    return locateWorkspace(around);
  } catch (error) {
    if (isMamError(error)) return undefined;
    throw error;
  }
}

/** Stands in where there is no workspace, so that the machine can be checked all the same. */
function nowhere({ workspaceContext }: Surroundings) {
  const { userFolder, host } = workspaceContext;
  return { stateFolder: userFolder, root: userFolder, id: '0000000000000000', host, isOurs: false };
}
