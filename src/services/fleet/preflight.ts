import { isMamError, MamError } from '../../domain/errors.ts';
import type { AgentAdapter, Probe, ProbeVerdict } from '../../ports/agent-adapter.ts';
import type { FleetContext } from './context.ts';

export interface PreflightRequest {
  readonly adapter: AgentAdapter;
  readonly permissions: 'skip' | 'ask';
  /** Exactly what the agent will have. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `fast`: the cheap checks; `full`: all of them. */
  readonly level: 'fast' | 'full';
}

export interface ProbeReport {
  readonly id: string;
  readonly verdict: ProbeVerdict;
}

type PreflightContext = Pick<FleetContext, 'programs' | 'adapters' | 'files' | 'uid' | 'signal'>;

/**
 * The command that starts this agent: an absolute path, or our runtime and the demo's file.
 *
 * @throws {MamError} `agent.missing`
 */
export function findBinary(
  { programs, adapters }: Pick<PreflightContext, 'programs' | 'adapters'>,
  adapter: AgentAdapter,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  for (const name of adapter.card.binaries) {
    const builtIn = adapters.builtIn(name);
    if (builtIn) return builtIn;
    const path = programs.which(name, env);
    if (path) return [path];
  }
  const names = adapter.card.binaries.join(' or ');
  throw new MamError(
    'agent.missing',
    `Agent "${adapter.kind}" is not installed: no ${names} on your PATH.`,
    { agent: adapter.kind },
    { hint: `mam doctor --agent ${adapter.kind}` },
  );
}

/** Runs the agent's checks in the environment it will have. @throws the first failure. */
export async function preflight(
  context: PreflightContext,
  request: PreflightRequest,
): Promise<readonly string[]> {
  const binary = findBinary(context, request.adapter, request.env);
  const failed = (await runProbes(context, request, binary)).find(({ verdict }) => !verdict.ok);
  if (failed && !failed.verdict.ok) {
    const { code, found, needed, fix } = failed.verdict;
    throw new MamError(
      code,
      `Agent "${request.adapter.kind}" cannot be started: ${found} (needed: ${needed}).`,
      { agent: request.adapter.kind, check: failed.id },
      { hint: fix },
    );
  }
  return binary;
}

export async function runProbes(
  context: PreflightContext,
  request: PreflightRequest,
  binary: readonly string[],
): Promise<readonly ProbeReport[]> {
  const { adapter, permissions, env, cwd, level } = request;
  const [command = ''] = binary;
  const program = context.files.realPath(command) ?? command;
  const probes = adapter.preflight({ permissions, uid: context.uid, env, cwd, binary: program });
  const reports: ProbeReport[] = [];
  for (const probe of probes) {
    if ('verdict' in probe) reports.push({ id: probe.id, verdict: probe.verdict });
    else if (level === 'full' || probe.level === 'fast') {
      const verdict =
        'files' in probe
          ? probe.judgeFiles(probe.files.map((path) => readIfReadable(context, path)))
          : await runProbe(context, request, binary, probe);
      reports.push({ id: probe.id, verdict });
    }
  }
  return reports;
}

function readIfReadable({ files }: PreflightContext, path: string): string | undefined {
  try {
    return files.readText(path);
  } catch (error) {
    if (!isMamError(error, 'file.unreadable')) throw error;
    return undefined;
  }
}

async function runProbe(
  { programs, signal }: PreflightContext,
  { env, cwd }: PreflightRequest,
  binary: readonly string[],
  probe: Extract<Probe, { args: unknown }>,
): Promise<ProbeVerdict> {
  const argv = [...binary, ...probe.args];
  const result = await programs.run(argv, {
    env: { ...env, ...probe.env },
    cwd,
    timeoutMs: probe.timeoutMs,
    signal,
  });
  return probe.judge(result);
}
