import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { hookInstallation } from './hook-installation.ts';
import { readHook } from './hooks.ts';
import { planLaunch } from './launch.ts';
import { preflight } from './preflight.ts';
import { readScreen } from './screen.ts';
import { store } from './store.ts';
import { composerHolds, planTyping } from './typing.ts';

/** Antigravity CLI, Google's: `agy`. */
export const agy: AgentAdapter = {
  kind: 'agy',
  card,
  planLaunch,
  readScreen,
  readHook,
  hookInstallation,
  planTyping,
  composerHolds,
  store,
  preflight,
};
