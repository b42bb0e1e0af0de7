import { randomUUID } from 'node:crypto';
import { ulid } from '../../base/ulid.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { MamError } from '../../domain/errors.ts';
import { parseRole, parseSessionName } from '../../domain/names.ts';
import type { Permissions, Session } from '../../domain/session.ts';
import { holdsName } from '../../domain/session-rules.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { isoNow } from '../../ports/clock.ts';
import { parentOf } from '../workspace/find.ts';
import { agentEnvironment, resolveExtraEnv } from './agent-environment.ts';
import { awaitReady, type StartOutcome } from './await-ready.ts';
import type { FleetContext } from './context.ts';
import { assertPrompt, send } from './delivery/send.ts';
import { depthOf } from './depth.ts';
import { endFailedStart, failedStart, withRecord } from './failed-start.ts';
import { launchFolder } from './launch-records.ts';
import { recoverLaunches } from './launch-recovery.ts';
import { newLaunchId, recordUp, start } from './launching.ts';
import { preflight } from './preflight.ts';
import { drainSpool } from './spool.ts';

export interface CreateRequest {
  readonly name: string;
  readonly agent: string;
  readonly role: string;
  /** Absolute. */
  readonly cwd: string;
  readonly prompt?: string;
  readonly permissions?: Permissions;
  readonly model?: string;
  /** `NAME` or `NAME=VALUE`. */
  readonly env: readonly string[];
  readonly mcpFiles: readonly string[];
  readonly extraArgs: readonly string[];
  /** Name or id of the session that creates it. */
  readonly parent?: string;
  readonly wait: boolean;
  readonly timeoutMs: number;
}

export interface StartReport {
  readonly session: Session;
  /** Set when it waits for a person: `trust`, `login`, … */
  readonly waitingFor: string | null;
  readonly delivery: Delivery | null;
  readonly warnings: readonly string[];
}

/**
 * A new session, up and spoken to. Everything that can be refused is refused before anything exists.
 *
 * @throws {MamError} what is wrong with the request (2), the name (4), the machine (5).
 */
export async function create(context: FleetContext, request: CreateRequest): Promise<StartReport> {
  const adapter = context.adapters.get(request.agent);
  const { session, extra } = plan(context, adapter, request);
  if (request.prompt !== undefined) assertPrompt(request.prompt, adapter);
  assertNameFree(context, session.name);
  await context.multiplexer.assertUsable();
  const env = environment(context, adapter, session, extra);
  const { permissions, cwd } = session;
  const binary = await preflight(context, { adapter, permissions, env, cwd, level: 'fast' });
  await recoverLaunches(context);
  const launchPlan = planLaunch(context, adapter, session, env, binary, 'new');
  const command = launchPlan.argv;
  const started = await start(context, {
    kind: 'create',
    session: { ...session, startCommand: command },
    adapter,
    plan: launchPlan,
    env,
  });
  try {
    return await bringUp(context, started, request);
  } finally {
    started.operation.end();
  }
}

async function bringUp(
  context: FleetContext,
  { session, operation }: Awaited<ReturnType<typeof start>>,
  request: CreateRequest,
): Promise<StartReport> {
  if (!request.wait && request.prompt === undefined) {
    return { session, waitingFor: null, delivery: null, warnings: [] };
  }
  const outcome = await awaitReady(context, operation, session, request.timeoutMs);
  if (outcome.kind === 'ended' || outcome.kind === 'timeout') {
    const keptPrompt = keepPrompt(context, session, request.prompt);
    const failure = await withRecord(context, session, outcome);
    const survivors = await endFailedStart(context, operation, session, failure);
    throw failedStart(session, failure, { keptPrompt, survivors });
  }
  const up = settleStart(context, operation, session, outcome);
  operation.end();
  return speak(context, up, outcome, request);
}

export function settleStart(
  context: FleetContext,
  operation: Awaited<ReturnType<typeof start>>['operation'],
  session: Session,
  outcome: Extract<StartOutcome, { kind: 'ready' | 'waiting' }>,
): Session {
  const up = recordUp(context, operation, session, outcome.pane);
  drainSpool(context, up, up.launch);
  return context.registry.read((reader) => reader.findSessionById(up.id)) ?? up;
}

async function speak(
  context: FleetContext,
  session: Session,
  outcome: Extract<StartOutcome, { kind: 'ready' | 'waiting' }>,
  { prompt, timeoutMs }: CreateRequest,
): Promise<StartReport> {
  const waitingFor = outcome.kind === 'waiting' ? outcome.detail : null;
  if (prompt === undefined) return { session, waitingFor, delivery: null, warnings: [] };
  const delivery = await send(context, session, { text: prompt, until: 'submitted', timeoutMs });
  const now = context.registry.read((reader) => reader.findSessionById(session.id)) ?? session;
  return { session: now, waitingFor, delivery, warnings: [] };
}

/** A prompt whose agent never became ready is kept beside the launch, and said where. */
function keepPrompt(
  context: FleetContext,
  session: Session,
  prompt: string | undefined,
): string | undefined {
  if (prompt === undefined) return undefined;
  const path = `${launchFolder(context, session.launch)}/prompt-not-delivered.txt`;
  context.files.write(path, prompt, 0o600);
  return path;
}

function plan(
  context: FleetContext,
  adapter: AgentAdapter,
  request: CreateRequest,
): { session: Session; extra: Record<string, string> } {
  const name = parseSessionName(request.name);
  const role = parseRole(request.role);
  const cwd = folderOrThrow(context, request.cwd);
  const extra = resolveExtraEnv(request.env, context.env);
  const parent = findParent(context, request.parent);
  const minted = adapter.card.conversationId === 'minted' ? randomUUID() : null;
  const { host, boot } = context.processes.self;
  const session: Session = {
    id: `ses_${ulid(context.clock.nowMs())}`,
    name,
    agent: adapter.kind,
    role,
    status: 'running',
    resumable: true,
    cwd,
    workspaceRoot: repositoryRoot(context, cwd),
    permissions: request.permissions ?? context.settings.create.permissions,
    model: request.model ?? null,
    startCommand: [],
    extraArgs: request.extraArgs,
    envNames: Object.keys(extra),
    mcpAttachments: request.mcpFiles,
    launch: newLaunchId(context),
    tmux: null,
    agentProcess: null,
    pane: null,
    conversationId: minted,
    prompted: false,
    conversationHistory: [],
    parent: parent?.id ?? null,
    createdAt: isoNow(context.clock),
    stoppedAt: null,
    ended: null,
    lastScreen: null,
    host,
    boot,
  };
  return { session, extra };
}

/** Before the checks of the agent, which cost time: the answer is the same, and quicker. */
function assertNameFree(context: FleetContext, name: string): void {
  const holder = context.registry.read((reader) => reader.findSession(name));
  if (!holder || !holdsName(holder)) return;
  throw new MamError(
    'name.taken',
    `Name "${name}" is taken by the ${holder.agent} session "${holder.name}" (${holder.status}, role ${holder.role}).`,
    { session: holder.name, status: holder.status },
    {
      hint: holder.status === 'stopped' ? `mam resume ${holder.name}` : `mam status ${holder.name}`,
    },
  );
}

function findParent(context: FleetContext, named: string | undefined): Session | undefined {
  const wanted = named ?? context.env.MAM_SESSION;
  if (!wanted) return undefined;
  const found = context.registry.read(
    (reader) => reader.findSessionById(wanted) ?? reader.findSession(wanted),
  );
  if (!found && named !== undefined) {
    throw new MamError('session.unknown', `There is no session "${named}" to be the parent.`);
  }
  return found;
}

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

export function planLaunch(
  context: FleetContext,
  adapter: AgentAdapter,
  session: Session,
  env: Readonly<Record<string, string>>,
  binary: readonly string[],
  kind: 'new' | 'resume',
) {
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

function folderOrThrow({ files }: FleetContext, path: string): string {
  const real = files.realPath(path);
  if (real !== undefined && files.stat(real)?.kind === 'folder') return real;
  throw new MamError(
    'cwd.missing',
    `Cannot start an agent in ${path}: there is no such folder.`,
    { cwd: path },
    { hint: `mkdir -p ${JSON.stringify(path)}` },
  );
}

/** The nearest folder at or above with a `.git`, else the folder itself. */
function repositoryRoot({ files }: FleetContext, cwd: string): string {
  for (let folder = cwd; ; folder = parentOf(folder)) {
    if (files.stat(`${folder === '/' ? '' : folder}/.git`)) return folder;
    if (folder === '/') return cwd;
  }
}
