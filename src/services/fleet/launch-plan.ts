import type { Session } from '../../domain/session.ts';
import type { AgentAdapter, LaunchPlan } from '../../ports/agent-adapter.ts';
import { agentEnvironment } from './agent-environment.ts';
import type { FleetContext } from './context.ts';
import { depthOf } from './depth.ts';
import { launchFolder } from './launch-records.ts';

/** The whole environment of the session's next launch. @param extra - Values of its `--env`. */
export function environment(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const { adapters, env, workspace } = context;
  const markers = adapters.kinds.flatMap((kind) => adapters.get(kind).card.envMarkers);
  return agentEnvironment({
    caller: env,
    card: adapter.card,
    markers,
    extra,
    session,
    workspace,
    launch: session.launch,
    depth: depthOf(context, session),
  });
}

/** The command line and the files of a launch, from the agent's adapter. */
export function planLaunch(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  env: Readonly<Record<string, string>>,
  binary: readonly string[],
  kind: 'new' | 'resume',
): LaunchPlan {
  const folder = launchFolder(context, session.launch);
  const [program = '', ...runtimeArgs] = binary;
  const launchPlan = adapter.planLaunch({
    sessionName: session.name,
    conversation: { kind, id: session.conversationId ?? '' },
    cwd: session.cwd,
    permissions: session.permissions,
    ...(session.model === null ? {} : { model: session.model }),
    extraArgs: session.extraArgs,
    binary: program,
    launchDir: folder,
    hookScript: `${folder}/hook`,
    mcpFiles: session.mcpAttachments,
    env,
  });
  const [first = program, ...rest] = launchPlan.argv;
  return { ...launchPlan, argv: [first, ...runtimeArgs, ...rest] };
}
