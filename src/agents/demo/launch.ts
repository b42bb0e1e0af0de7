import type { LaunchPlan, LaunchRequest } from '../../ports/agent-adapter.ts';
import { hookEntries } from '../shared/hook-settings.ts';

const SETTINGS_FILE = 'settings.json';

export const hookEvents = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'StopFailure',
] as const;

/** The demo agent takes no MCP servers: files of the user for them are left out. */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { conversation, launchDir, hookScript, model } = request;
  const settings = { hooks: hookEntries(hookScript, hookEvents) };
  return {
    argv: [
      request.binary,
      conversation.kind === 'resume' ? '--resume' : '--session-id',
      conversation.id,
      '--settings',
      `${launchDir}/${SETTINGS_FILE}`,
      '-n',
      request.sessionName,
      '--permissions',
      request.permissions,
      ...(model === undefined ? [] : ['--model', model]),
      ...request.extraArgs,
    ],
    files: [{ name: SETTINGS_FILE, content: `${JSON.stringify(settings, undefined, 2)}\n` }],
    env: {},
  };
}
