import type { HookInstallation } from '../../ports/hook-installation.ts';

/**
 * A turn that begins and goes on, and its end. Those around a tool are left out: an answer of theirs that
 * agy does not understand denies the tool (1.1.7 to 1.2.x), and they tell nothing that the screen does not.
 */
const EVENTS = ['PreInvocation', 'Stop'] as const;

/** Whole seconds. Observing hooks take some 20 ms. */
const HOOK_TIMEOUT_S = 5;

/** What is printed means: go on as without a hook. */
const NO_OPINION = '{}';

/**
 * `hooks.json` of the user, read once at the start, under a name of our own. One fault in it and agy loads
 * nothing of the file, without a word on the screen.
 */
export const hookInstallation: HookInstallation = {
  file: (env) => `${env.HOME ?? ''}/.gemini/config/hooks.json`,

  entries: (command) =>
    EVENTS.map((event) => ({
      path: ['mam', event],
      how: 'append',
      value: { type: 'command', command: command(event, NO_OPINION), timeout: HOOK_TIMEOUT_S },
    })),
};
