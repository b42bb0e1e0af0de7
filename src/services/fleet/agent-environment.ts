import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { isShellOwnName, isVariableName } from './start-file.ts';

/** What every agent gets of its caller; `*` at the end stands for any rest (docs/agents.md). */
export const PASSED: readonly string[] = [
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'LANG', 'LC_*', 'TZ', 'XDG_*', 'SSH_AUTH_SOCK'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
];

/** Marks of terminals and agents around us: with them an agent refuses to start, or answers wrongly. */
const REMOVED: readonly string[] = ['TMUX*', 'TERM_PROGRAM*', 'MAM_*'];

export interface EnvironmentRequest {
  readonly caller: Readonly<Record<string, string>>;
  readonly card: CapabilityCard;
  /** Markers of all known agents. */
  readonly markers: readonly string[];
  /** `--env`: values of these, given or taken from the caller. */
  readonly extra: Readonly<Record<string, string>>;
  readonly session: Pick<Session, 'id' | 'parent'>;
  readonly workspace: Workspace;
  readonly launch: string;
  readonly depth: number;
}

/** What of the caller's environment an agent gets, by name. */
export function passedNames(
  caller: Readonly<Record<string, string>>,
  { envPass }: Pick<CapabilityCard, 'envPass'>,
): readonly string[] {
  const passed = [...PASSED, ...envPass];
  return Object.keys(caller).filter(
    (name) => matches(name, passed) && !matches(name, REMOVED) && isVariableName(name),
  );
}

/** The whole environment of an agent, and of the checks before it: names from lists, values ours to pass. */
export function agentEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { caller, card, extra, workspace, session, launch, depth } = request;
  const passed = [...PASSED, ...card.envPass];
  const removed = [...REMOVED, ...request.markers];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    const isWanted = matches(name, passed) && !matches(name, removed);
    // A name that no shell can export, such as XDG_A-B, cannot be passed on.
    if (isWanted && isVariableName(name)) env[name] = value;
  }
  if (!env.LANG && !env.LC_ALL && !env.LC_CTYPE) env.LANG = 'C.UTF-8';
  return {
    ...env,
    ...extra,
    MAM_WORKSPACE: workspace.root,
    MAM_SESSION: session.id,
    MAM_LAUNCH: launch,
    MAM_DEPTH: String(depth),
  };
}

/**
 * The values of `--env` names at a start: `NAME=VALUE` as given, `NAME` from the caller.
 *
 * @throws {MamError} `env.missing` naming those the caller does not have.
 */
export function resolveExtraEnv(
  given: readonly string[],
  caller: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  for (const entry of given) {
    const at = entry.indexOf('=');
    const name = at < 0 ? entry : entry.slice(0, at);
    assertMayBeGiven(name);
    const value = at < 0 ? caller[name] : entry.slice(at + 1);
    if (value === undefined) missing.push(name);
    else env[name] = value;
  }
  if (missing.length > 0) {
    throw new MamError(
      'env.missing',
      `The session needs ${missing.join(', ')}, which your environment does not have; values are never stored.`,
      { names: missing },
      { hint: `${missing.map((name) => `${name}=…`).join(' ')} mam …` },
    );
  }
  return env;
}

/** What would silently not arrive, or lead the agent to a tmux server or a session that is not its own. */
function assertMayBeGiven(name: string): void {
  const shown = JSON.stringify(name);
  if (!isVariableName(name)) {
    throw new MamError('usage.invalid', `--env ${shown} is not a variable name.`);
  }
  if (isShellOwnName(name) || matches(name, REMOVED)) {
    throw new MamError(
      'usage.invalid',
      `--env ${shown} cannot be given to an agent: it belongs to the shell, to tmux or to mam.`,
      { name },
    );
  }
}

function matches(name: string, rules: readonly string[]): boolean {
  return rules.some((rule) =>
    rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : rule === name,
  );
}
