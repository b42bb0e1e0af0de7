import type { LaunchPlan, LaunchRequest } from '../../ports/agent-adapter.ts';

/**
 * Nothing is written into the user's files. `--approval-mode default` wins over the user's setting; in
 * an untrusted folder Gemini itself refuses `--yolo`.
 *
 * COLORTERM: without true colour it draws the composer's edges as blanks, and warns.
 */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { conversation, model } = request;
  return {
    argv: [
      request.binary,
      ...(request.permissions === 'skip' ? ['--yolo'] : ['--approval-mode', 'default']),
      conversation.kind === 'resume' ? '--resume' : '--session-id',
      conversation.id,
      ...(model === undefined ? [] : ['--model', model]),
      ...request.extraArgs,
    ],
    files: [],
    env: { COLORTERM: 'truecolor' },
  };
}
