import { randomUUID } from 'node:crypto';
import { ulid } from '../../base/ulid.ts';
import { MamError } from '../../domain/errors.ts';
import { parseRole, parseSessionName } from '../../domain/names.ts';
import type { Session } from '../../domain/session.ts';
import { parentOf } from '../../domain/workspace.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { isoNow } from '../../ports/clock.ts';
import { resolveExtraEnv } from './agent-environment.ts';
import type { FleetContext } from './context.ts';
import type { CreateRequest } from './create.ts';
import { newLaunchId } from './launching.ts';
import { assertMcpFiles } from './mcp-files.ts';

/**
 * What a new session will be, and the values of its `--env`: all that can be said before the machine is
 * asked.
 *
 * @throws {MamError} `name.invalid`, `cwd.missing`, `env.missing`, `usage.invalid`, `file.unreadable`,
 *   `session.unknown`.
 */
export function planSession(
  context: FleetContext,
  adapter: AgentAdapter,
  request: CreateRequest,
): { session: Session; extra: Record<string, string> } {
  const name = parseSessionName(request.name);
  const role = parseRole(request.role);
  const cwd = folderOrThrow(context, request.cwd);
  assertMcpFiles(context.files, adapter, request.mcpFiles);
  const extra = resolveExtraEnv(request.env, context.env);
  const parent = findParent(context, request.parent);
  const minted = adapter.card.conversationId === 'minted' ? randomUUID() : null;
  const { host, boot, pidNamespace } = context.processes.self;
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
    adopted: false,
    launch: newLaunchId(context),
    tmux: null,
    agentProcess: null,
    pane: null,
    conversationId: minted,
    storeFolder: null,
    prompted: false,
    conversationHistory: [],
    parent: parent?.id ?? null,
    createdAt: isoNow(context.clock),
    stoppedAt: null,
    ended: null,
    lastScreen: null,
    host,
    boot,
    pidNamespace,
  };
  return { session, extra };
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
