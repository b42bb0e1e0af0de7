import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MamError } from '../domain/errors.ts';
import type { ProcessIdentity } from '../domain/owner.ts';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import { sqliteLock } from '../drivers/sqlite/lock.ts';
import { type MonitorFile, readMonitorFile } from '../protocol/monitor-file.ts';
import { livingMonitor } from '../services/monitor/living-monitor.ts';
import type { MonitorHealth } from '../services/monitor/monitor.ts';
import { assertTermFree } from '../services/monitor/term.ts';
import { explainError } from './explain-error.ts';
import { runMonitorThread } from './monitor-thread.ts';
import { openReader } from './open-reader.ts';
import {
  locateWorkspace,
  lookAround,
  type OpenOptions,
  type Surroundings,
} from './surroundings.ts';

/** How often the state file tells how the monitor is, where nothing was done. Milliseconds. */
const HEALTH_MS = 2_000;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/** Another process is the monitor of this workspace. */
export interface Taken {
  readonly kind: 'taken';
  readonly pid: number | null;
}

/** How `mam monitor start` and `stop` left it. */
export interface MonitorOutcome {
  readonly did: 'started' | 'stopped' | 'nothing';
  readonly state: MonitorFile | undefined;
}

/** What the monitor of this workspace that lives now says of itself. */
function livingState(around: Surroundings, workspace: Workspace): MonitorFile | undefined {
  if (!livingMonitor(around, workspace)) return undefined;
  return readMonitorFile(around.files.readText(workspacePaths.monitor(workspace)));
}

export function monitorState(options: OpenOptions): MonitorFile | undefined {
  const around = lookAround(options);
  return livingState(around, locateWorkspace(around));
}

/**
 * Is the monitor until the signal. Order: lock, state file, thread; then the reverse. The lock goes with
 * the process, however that ends; the state file is believed only while its process lives.
 *
 * @throws {MamError} `monitor.elsewhere`, and what opening the workspace throws.
 */
export async function runMonitor(
  options: OpenOptions,
  signal: AbortSignal,
  onBegin: () => void = () => undefined,
): Promise<'ended' | Taken> {
  const around = lookAround(options);
  const workspace = locateWorkspace(around);
  const held = sqliteLock(workspacePaths.monitorLock(workspace)).hold();
  if (!held) return { kind: 'taken', pid: livingMonitor(around, workspace)?.pid ?? null };
  using _ = held;
  const state = new StateFile(around, workspace);
  state.write();
  onBegin();
  // The thread may wait for the registry: this one says that the process is there all the same.
  const pulse = setInterval(() => state.write(), HEALTH_MS);
  try {
    await runMonitorThread(
      `${around.distFolder}/monitor.js`,
      { workspace: workspace.stateFolder },
      { signal, onTurn: (health) => state.tell(health) },
    );
  } finally {
    clearInterval(pulse);
    state.remove();
  }
  return 'ended';
}

/** Starts one in the background unless there is one, and waits until it has looked once. */
export async function startMonitor(options: OpenOptions, program: string): Promise<MonitorOutcome> {
  const around = lookAround(options);
  const workspace = locateWorkspace(around);
  const before = livingState(around, workspace);
  if (before) return { did: 'nothing', state: before };
  await assertNotElsewhere(options);
  const child = spawnMonitor(around, workspace, program);
  const deadline = around.clock.monotonicMs() + START_TIMEOUT_MS;
  while (around.clock.monotonicMs() < deadline) {
    const state = livingState(around, workspace);
    // Of several that start at once one wins; the others see it.
    if (state && state.pid !== child.pid) {
      await endLoser(child);
      return { did: 'nothing', state };
    }
    // One whose first look failed goes on trying, and says why.
    if (state && (state.ready || state.turns > 0)) return { did: 'started', state };
    if (hasEnded(child)) break;
    await around.clock.sleep(POLL_MS, options.signal);
  }
  if (!hasEnded(child)) await endLoser(child);
  throw new MamError(
    'monitor.failed',
    `The monitor did not begin within ${START_TIMEOUT_MS / 1000} s.`,
    { log: workspacePaths.monitorLog(workspace) },
    { hint: `Its log: ${workspacePaths.monitorLog(workspace)}` },
  );
}

/** @throws {MamError} `monitor.elsewhere` */
async function assertNotElsewhere(options: OpenOptions): Promise<void> {
  using reader = await openReader(options);
  reader.context.readRegistry((registry) => assertTermFree(reader.context, registry));
}

/** One that is still beginning would take over when the winner ends, long after anybody asked for it. */
async function endLoser(child: ChildProcess): Promise<void> {
  child.ref();
  const ended = once(child, 'exit');
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await ended;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

export async function stopMonitor(options: OpenOptions): Promise<MonitorOutcome> {
  const around = lookAround(options);
  const state = livingState(around, locateWorkspace(around));
  if (!state) return { did: 'nothing', state: undefined };
  const { processes, clock } = around;
  const identity = identityOf(state);
  processes.signal(identity, 'SIGTERM');
  // A stopped one hears nothing until it goes on.
  processes.signal(identity, 'SIGCONT');
  const deadline = clock.monotonicMs() + STOP_TIMEOUT_MS;
  while (processes.isAlive(identity)) {
    if (clock.monotonicMs() >= deadline) {
      throw new MamError(
        'stop.survivors',
        `The monitor (process ${state.pid}) did not end within ${STOP_TIMEOUT_MS / 1000} s.`,
        { pid: state.pid },
        { hint: `kill -KILL ${state.pid} ends it at once; nothing of a session is lost by that` },
      );
    }
    await clock.sleep(POLL_MS, options.signal);
  }
  return { did: 'stopped', state };
}

/** Away from this terminal and this process group; its words go to its log. */
function spawnMonitor({ env }: Surroundings, workspace: Workspace, program: string) {
  const log = workspacePaths.monitorLog(workspace);
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const out = openSync(log, 'a', 0o600);
  const argv = [program, 'monitor', 'run', '--workspace', workspace.root, '--quiet'];
  const child = spawn(process.execPath, argv, {
    cwd: workspace.root,
    env: monitorEnvironment(env),
    detached: true,
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  child.unref();
  return child;
}

const KEPT: readonly RegExp[] = [
  /^(?:HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_.*|TZ|XDG_.*|TMPDIR|SSH_AUTH_SOCK)$/,
  /^(?:https?|all|no)_proxy$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO)$/,
  // For who is told by a program with a window.
  /^(?:DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY)$/,
];

/**
 * What every agent is given of its starter's environment, since it may have to resume one; no launch ids, no
 * marks of agents, no keys: it lives longer than who starts it.
 */
function monitorEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => KEPT.some((rule) => rule.test(name))),
  );
}

class StateFile {
  readonly #around: Surroundings;
  readonly #path: string;
  #state: MonitorFile;
  #isWritten = true;

  constructor(around: Surroundings, workspace: Workspace) {
    const { pid, startTicks, boot, pidNamespace } = around.processes.self;
    this.#around = around;
    this.#path = workspacePaths.monitor(workspace);
    this.#state = {
      ...{ v: 1, pid, start_ticks: startTicks, boot, pid_namespace: pidNamespace },
      ...{ started_at: new Date(around.clock.nowMs()).toISOString(), written_at: '', ready: false },
      ...{ last_reconcile: null, cpu_ms: 0, turns: 0, acts: 0, sessions: 0 },
      ...{ queues: { deliveries: 0, policies: 0, notices: 0 }, control_mode: false, errors: [] },
    };
  }

  /** By rename and without a sync: a power cut ends the monitor too. A full disk does not. */
  write(): void {
    try {
      this.#write();
      this.#isWritten = true;
    } catch (error) {
      if (this.#isWritten) process.stderr.write(`mam: ${explainError(error).message}\n`);
      this.#isWritten = false;
    }
  }

  #write(): void {
    const { files, clock } = this.#around;
    this.#state = { ...this.#state, written_at: new Date(clock.nowMs()).toISOString() };
    const temporary = `${this.#path}.${process.pid}`;
    files.makeFolder(dirname(this.#path));
    // Nothing is put over a folder by a rename.
    if (files.stat(this.#path)?.kind === 'folder') files.remove(this.#path);
    writeFileSync(temporary, `${JSON.stringify(this.#state)}\n`, { mode: 0o600 });
    files.rename(temporary, this.#path);
  }

  tell({ hasLooked, turns, acts, errors, sessions, queues, isConnected }: MonitorHealth): void {
    const { user, system } = process.cpuUsage();
    const before = this.#state;
    this.#state = {
      ...before,
      ready: before.ready || hasLooked,
      last_reconcile: hasLooked
        ? new Date(this.#around.clock.nowMs()).toISOString()
        : before.last_reconcile,
      cpu_ms: Math.round((user + system) / 1_000),
      ...{ turns, acts, sessions, queues, control_mode: isConnected, errors: [...errors] },
    };
    const isNews =
      before.turns === 0 || !before.ready || before.acts !== acts || before.errors[0] !== errors[0];
    if (isNews) this.write();
  }

  /** Only while it is ours: a successor may have written its own. */
  remove(): void {
    const { files } = this.#around;
    const present = readMonitorFile(files.readText(this.#path));
    if (present?.pid === this.#state.pid) files.remove(this.#path);
  }
}

function identityOf({ pid, start_ticks }: MonitorFile): ProcessIdentity {
  return { pid, startTicks: start_ticks };
}
