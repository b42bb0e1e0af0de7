import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { readHook } from './hooks.ts';
import { planLaunch } from './launch.ts';
import { preflight } from './preflight.ts';
import { readScreen } from './screen.ts';
import { store } from './store.ts';
import { composerHolds, planTyping } from './typing.ts';

/** Cline CLI: `cline`. */
export const cline: AgentAdapter = {
  kind: 'cline',
  card,
  planLaunch,
  readScreen,
  readHook,
  planTyping,
  composerHolds,
  store,
  preflight,
};
