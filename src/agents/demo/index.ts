import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { readHook } from './hook-facts.ts';
import { planLaunch } from './launch.ts';
import { preflight } from './preflight.ts';
import { readScreen } from './screen-reading.ts';
import { store } from './store.ts';
import { composerHolds, planTyping } from './typing.ts';

/** mam's own small agent (src/demo-agent): needs no account and no network. */
export const demo: AgentAdapter = {
  kind: 'demo',
  card,
  planLaunch,
  readScreen,
  readHook,
  planTyping,
  composerHolds,
  store,
  preflight,
};
