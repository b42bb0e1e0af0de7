import type { LaunchPlan, LaunchRequest } from '../../ports/agent-adapter.ts';
import { clineDir, dataDir } from './home.ts';
import { hookFiles } from './hook-files.ts';

/** Stands for the user's `~/.cline` in one launch. */
const FOLDER = 'cline';
/** What Cline looks for in it besides hooks; the user's own, there or not. */
const USERS = [
  'agents',
  'cron',
  'data',
  'plugins',
  'rules',
  'schedules',
  'skills',
  'tasks',
  'workflows',
  'worktrees',
];

/**
 * `--config` gives it hooks of ours, by path; `--data-dir` the user's own providers and conversations, and
 * with it 3.0.65 runs by itself, without the daemon that other sessions share. Approval of every tool is
 * its default. It updates itself, and advertises, unless told not to.
 */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { conversation, env, hookScript, launchDir, model } = request;
  const users = clineDir(env);
  return {
    argv: [
      request.binary,
      '--config',
      `${launchDir}/${FOLDER}`,
      '--data-dir',
      dataDir(env),
      '--auto-approve',
      String(request.permissions === 'skip'),
      ...(conversation.kind === 'resume' ? ['--id', conversation.id] : []),
      ...(model === undefined ? [] : ['--model', model]),
      ...request.extraArgs,
    ],
    files: hookFiles({ folder: FOLDER, launchDir, hookScript, userHooks: `${users}/hooks` }),
    links: USERS.map((name) => ({ name: `${FOLDER}/${name}`, target: `${users}/${name}` })),
    env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_DISABLE_CLINE_PASS_NOTICE: '1' },
  };
}
