import type { LaunchPlan, LaunchRequest } from '../../ports/agent-adapter.ts';

/**
 * The workspace is what `--add-dir` says, not the working directory; links must be resolved, or its own
 * files count as outside. `-i` is never used, for it submits behind the trust question, nor is `-c`, which
 * takes whatever was last. Only the value `true` keeps it from replacing itself by a newer version.
 */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { conversation, model } = request;
  return {
    argv: [
      request.binary,
      '--add-dir',
      request.cwd,
      ...(request.permissions === 'skip' ? ['--dangerously-skip-permissions'] : []),
      ...(conversation.kind === 'resume' ? ['--conversation', conversation.id] : []),
      ...(model === undefined ? [] : ['--model', model]),
      ...request.extraArgs,
    ],
    files: [],
    env: keepsVersion,
  };
}

export const keepsVersion = { AGY_CLI_DISABLE_AUTO_UPDATE: 'true' } as const;
