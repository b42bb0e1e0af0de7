import { jsonSettingsEditor } from '../drivers/json/settings-editor.ts';
import {
  applyChange,
  type HookChange,
  type HooksContext,
  planInstall,
  planUninstall,
} from '../services/agent-hooks/agent-hooks.ts';
import { openAdapters } from './adapters.ts';
import { adapterPlaces, lookAround, type OpenOptions, type Surroundings } from './surroundings.ts';

export type { HookChange };

/** Hooks of agents in the user's own settings: one for all workspaces. */
export interface AgentHooks {
  /** @throws {MamError} `usage.invalid`, `file.unreadable` */
  plan(kind: HookChange['kind'], agent: string): HookChange;
  /** @throws {MamError} `file.unreadable` when the file was changed since. */
  apply(change: HookChange): void;
}

export function openAgentHooks(options: OpenOptions = {}): AgentHooks {
  const around = lookAround(options);
  const adapters = openAdapters(adapterPlaces(around, undefined));
  const context = hooksContextOf(around);
  return {
    plan: (kind, agent) =>
      (kind === 'install' ? planInstall : planUninstall)(context, adapters.named(agent)),
    apply: (change) => applyChange(context, change),
  };
}

export function hooksContextOf({
  files,
  clock,
  env,
  workspaceContext,
}: Surroundings): HooksContext {
  const { userFolder } = workspaceContext;
  return { files, clock, editor: jsonSettingsEditor, env, userFolder };
}
