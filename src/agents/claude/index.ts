import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { readHook } from './hooks.ts';
import { planLaunch } from './launch.ts';
import { preflight } from './preflight.ts';
import { readScreen } from './screen.ts';
import { stateFile } from './state-file.ts';
import { store } from './store.ts';
import { composerHolds, planTyping } from './typing.ts';

/** Claude Code, Anthropic's CLI: `@anthropic-ai/claude-code`. */
export const claude: AgentAdapter = {
  kind: 'claude',
  card,
  planLaunch,
  readScreen,
  readHook,
  planTyping,
  composerHolds,
  store,
  stateFile,
  preflight,
};
