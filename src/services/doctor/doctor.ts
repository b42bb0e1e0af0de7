import { isMamError } from '../../domain/errors.ts';
import type { AgentAdapter, ProbeVerdict } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import type { Multiplexer } from '../../ports/multiplexer.ts';
import type { ProgramRunner } from '../../ports/program-runner.ts';

/** One thing that was checked. `needed` and `fix` are set when it is not well. */
export interface Check {
  readonly id: string;
  readonly ok: boolean;
  readonly found: string;
  readonly needed: string | null;
  readonly fix: string | null;
}

export interface DoctorRequest {
  /** Undefined: those that are installed. */
  readonly agent?: AgentAdapter;
  readonly adapters: readonly AgentAdapter[];
}

/** What the doctor looks with. Each may itself be what is broken, so each is asked for when needed. */
export interface DoctorTools {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly files: Files;
  readonly programs: ProgramRunner;
  openRegistry(): Promise<{ readonly found: string; readonly ok: boolean }>;
  openWorkspace(): Promise<{ readonly root: string; readonly isOurs: boolean }>;
  openMultiplexer(): Promise<Multiplexer>;
  /** The command of an agent, or undefined when it is not installed. */
  findAgent(adapter: AgentAdapter): readonly string[] | undefined;
  /** Whether the user's settings have our hooks of an agent; undefined for one that needs none there. */
  hasHooks(adapter: AgentAdapter): boolean | undefined;
  runProbes(
    adapter: AgentAdapter,
    binary: readonly string[],
  ): Promise<readonly { readonly id: string; readonly verdict: ProbeVerdict }[]>;
}

const OLDEST_NODE = [20, 19] as const;

/** Checks the machine, the workspace and the agents. Writes nothing. */
export async function examine(
  request: DoctorRequest,
  tools: DoctorTools,
): Promise<readonly Check[]> {
  const machine = [
    checkNode(tools.nodeVersion),
    checkPlatform(tools.platform),
    await checkTmux(tools),
    checkPerl(tools),
    checkCompiler(tools),
    await checkSqlite(tools),
    checkLogout(tools),
    await checkWorkspace(tools),
    await checkServer(tools),
  ];
  const wanted = request.agent ? [request.agent] : request.adapters;
  const agents: Check[] = [];
  for (const adapter of wanted) {
    agents.push(...(await checkAgent(adapter, request.agent !== undefined, tools)));
  }
  return [...machine, ...agents];
}

function good(id: string, found: string): Check {
  return { id, ok: true, found, needed: null, fix: null };
}

function bad(id: string, found: string, needed: string, fix: string): Check {
  return { id, ok: false, found, needed, fix };
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const needed = `${OLDEST_NODE.join('.')} or newer`;
  return isEnough
    ? good('node', version)
    : bad('node', version, needed, 'Install Node 20.19 or newer');
}

function checkPlatform(platform: string): Check {
  if (platform === 'linux') return good('platform', platform);
  return bad('platform', platform, 'linux (WSL included)', 'macOS is untested: use Linux or WSL');
}

async function checkTmux(tools: DoctorTools): Promise<Check> {
  try {
    const multiplexer = await tools.openMultiplexer();
    const { text, path } = await multiplexer.version();
    await multiplexer.assertUsable();
    return good('tmux', `${text} (${path})`);
  } catch (error) {
    return failed('tmux', error, 'tmux 3.2 or newer', 'apt-get install tmux');
  }
}

function checkPerl({ programs, env }: DoctorTools): Check {
  const perl = programs.which('perl', env);
  if (perl) return good('perl', perl);
  return bad(
    'perl',
    'not found: a stop is proven by traces only',
    'perl, to adopt what an agent leaves behind',
    'apt-get install perl-base',
  );
}

/** Needed only where no prebuilt SQLite module can be fetched. */
function checkCompiler({ programs, env }: DoctorTools): Check {
  const missing = ['make', 'g++', 'python3'].filter((name) => !programs.which(name, env));
  if (missing.length === 0) return good('compiler', 'make, g++, python3');
  return bad(
    'compiler',
    `${missing.join(', ')} not found`,
    'only to build the SQLite module where no prebuilt one can be fetched',
    'apt-get install build-essential python3',
  );
}

async function checkSqlite(tools: DoctorTools): Promise<Check> {
  try {
    const { found, ok } = await tools.openRegistry();
    if (ok) return good('registry', found);
    return bad('registry', found, 'a sound database', 'Keep it and agent-sessions.yaml; report it');
  } catch (error) {
    return failed(
      'registry',
      error,
      'the SQLite module and a readable registry',
      'npm rebuild better-sqlite3',
    );
  }
}

/** systemd may end everything of a user at logout, tmux servers included. @see logind.conf(5) */
function checkLogout({ files, env }: DoctorTools): Check {
  const text = files.readText('/etc/systemd/logind.conf') ?? '';
  if (!/^\s*KillUserProcesses\s*=\s*(yes|true|1)/m.test(text)) {
    return good('logout', 'agents survive a logout');
  }
  const user = env.USER ?? 'USER';
  return bad(
    'logout',
    'KillUserProcesses=yes: a logout ends the tmux server and every agent',
    'lingering, or KillUserProcesses=no',
    `loginctl enable-linger ${user}`,
  );
}

async function checkWorkspace(tools: DoctorTools): Promise<Check> {
  try {
    const { root, isOurs } = await tools.openWorkspace();
    if (isOurs) return good('workspace', root);
    return good('workspace', `${root} (not made with mam init: trust questions are left to you)`);
  } catch (error) {
    return failed('workspace', error, 'a workspace', 'mam init');
  }
}

async function checkServer(tools: DoctorTools): Promise<Check> {
  try {
    const multiplexer = await tools.openMultiplexer();
    const look = await multiplexer.look([]);
    if (look.server === 'none') return good('tmux-server', 'none runs');
    return good(
      'tmux-server',
      `pid ${look.pid ?? '?'}, ${look.panes.length} panes, ${multiplexer.socket}`,
    );
  } catch (error) {
    return failed('tmux-server', error, 'a server that answers', 'mam status');
  }
}

async function checkAgent(
  adapter: AgentAdapter,
  isWanted: boolean,
  tools: DoctorTools,
): Promise<readonly Check[]> {
  const id = `agent-${adapter.kind}`;
  const binary = tools.findAgent(adapter);
  if (!binary) {
    const names = adapter.card.binaries.join(' or ');
    if (!isWanted) return [good(id, 'not installed')];
    return [
      bad(id, 'not installed', `${names} on PATH`, `Install ${adapter.kind} and put it on PATH`),
    ];
  }
  const reports = await tools.runProbes(adapter, binary);
  const checks = reports.map(({ id: probe, verdict }) => {
    const name = `${id}-${probe}`;
    if (verdict.ok) return good(name, verdict.found);
    return bad(name, verdict.found, verdict.needed, verdict.fix);
  });
  return [good(id, binary.join(' ')), ...checks, ...checkHooks(adapter, id, tools)];
}

/** Without them an agent works as well, and tells less. */
function checkHooks(adapter: AgentAdapter, agentId: string, tools: DoctorTools): readonly Check[] {
  const id = `${agentId}-hooks`;
  try {
    const has = tools.hasHooks(adapter);
    if (has === undefined) return [];
    if (has) return [good(id, 'in your settings')];
    return [good(id, `not in your settings: mam hooks install ${adapter.kind} adds them`)];
  } catch (error) {
    return [failed(id, error, 'settings that can be read', `mam hooks install ${adapter.kind}`)];
  }
}

function failed(id: string, error: unknown, needed: string, fix: string): Check {
  const message = error instanceof Error ? error.message : String(error);
  const hint = isMamError(error) ? error.hint : undefined;
  return bad(id, message.split('\n')[0] ?? '', needed, hint ?? fix);
}
