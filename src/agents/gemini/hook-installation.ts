import type { HookInstallation } from '../../ports/hook-installation.ts';
import { store } from './store.ts';

/** Those that say something no other source says as soon; the ones around each model call are left out. */
const EVENTS = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'AfterAgent',
  'BeforeTool',
  'AfterTool',
  'Notification',
] as const;

/** In milliseconds, unlike elsewhere. Observing hooks take some 20 ms. */
const HOOK_TIMEOUT_MS = 5_000;

/**
 * A launch cannot bring hooks of its own: a home of ours would hide the user's, settings of the system
 * must be root's, and those of the project are somebody's file too. So the user's settings name them,
 * beside the user's own.
 */
export const hookInstallation: HookInstallation = {
  file: (env) => `${store.folder(env)}/settings.json`,

  entries: (command) =>
    EVENTS.map((event) => ({
      path: ['hooks', event],
      how: 'append',
      value: {
        hooks: [
          { name: 'mam', type: 'command', command: command(event), timeout: HOOK_TIMEOUT_MS },
        ],
      },
    })),
};
