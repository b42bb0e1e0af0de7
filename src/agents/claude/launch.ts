import type { LaunchPlan, LaunchRequest } from '../../ports/agent-adapter.ts';
import { hookEntries } from '../shared/hook-settings.ts';

const SETTINGS_FILE = 'settings.json';

/**
 * The events that say something no other source says as soon. `Notification` is left out: it comes
 * 6.5 s after a dialog opened, and not at all when that was answered before.
 */
export const hookEvents = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'StopFailure',
  'PreCompact',
] as const;

/** Observing hooks take some 20 ms; longer than this means a stuck file system. */
const HOOK_TIMEOUT_S = 5;

/**
 * Everything goes by `--settings`, which merges with the user's own files and leaves them untouched.
 * `disableAllHooks: false` in it wins over a project that says true. Without `--permission-mode`
 * 2.1.332 starts in auto mode; `manual` is unknown to 2.1.197, `default` is the same in both.
 */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { conversation, launchDir, mcpFiles, model } = request;
  return {
    argv: [
      request.binary,
      ...permissionFlags(request.permissions),
      '--settings',
      `${launchDir}/${SETTINGS_FILE}`,
      conversation.kind === 'resume' ? '-r' : '--session-id',
      conversation.id,
      '-n',
      request.sessionName,
      ...(model === undefined ? [] : ['--model', model]),
      ...mcpFiles.flatMap((file) => ['--mcp-config', file]),
      ...request.extraArgs,
    ],
    files: [{ name: SETTINGS_FILE, content: settingsText(request.hookScript) }],
    env: launchEnv,
  };
}

/**
 * Without these two, 2.1.332 may choose the alternate screen, which keeps no scrollback (it does when
 * telemetry is off), and may put a survey above the composer, which takes a typed digit as its answer.
 */
const launchEnv = {
  CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1',
  CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: '1',
} as const;

function permissionFlags(permissions: LaunchRequest['permissions']): readonly string[] {
  return permissions === 'skip'
    ? ['--dangerously-skip-permissions']
    : ['--permission-mode', 'default'];
}

function settingsText(hookScript: string): string {
  const hooks = hookEntries(hookScript, hookEvents, { timeoutS: HOOK_TIMEOUT_S });
  return `${JSON.stringify({ disableAllHooks: false, hooks }, undefined, 2)}\n`;
}
