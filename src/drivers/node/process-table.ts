import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { sha256 } from '../../base/sha256.ts';
import { MamError } from '../../domain/errors.ts';
import { isLiving, type Owner, type ProcessIdentity } from '../../domain/owner.ts';
import type { ProcessInfo, ProcessTable } from '../../ports/process-table.ts';

/** Ticks a second that the kernel reports times in. @see proc(5), sysconf(_SC_CLK_TCK) on Linux */
const TICKS_PER_SECOND = 100;

/**
 * The process table of Linux, from /proc.
 *
 * @throws {MamError} `platform.unsupported` where there is no /proc.
 * @see proc(5), /proc/pid/stat
 */
export function openProcessTable(): ProcessTable {
  const stat = findProcess(process.pid);
  if (!stat) {
    throw new MamError(
      'platform.unsupported',
      'This system has no /proc: mam knows processes by pid and start time and supports Linux and WSL.',
    );
  }
  const self: Owner = {
    host: hostId(),
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
    pid: process.pid,
    startTicks: stat.startTicks,
  };
  return {
    self,
    find: findProcess,
    list: listProcesses,
    commandLine,
    openFiles,
    startedAt,
    environmentValues,
    withEnvironment,
    isAlive: (identity) => isAlive(identity),
    signal,
  };
}

/** First 8 hex digits of the machine id, or of a hash of the host's name where there is none. */
export function hostId(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    if (/^[0-9a-f]{8}/.test(id)) return id.slice(0, 8);
  } catch {
    // A container without a machine id: the host name is what tells it from others.
  }
  return sha256(hostname()).slice(0, 8);
}

function findProcess(pid: number): ProcessInfo | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const text = readStat(pid);
  if (text === undefined) return undefined;
  // The command in parentheses may itself hold parentheses and blanks: fields count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  return {
    pid,
    state: field(3),
    ppid: Number(field(4)),
    processGroup: Number(field(5)),
    sessionLeader: Number(field(6)),
    tty: Number(field(7)),
    foregroundGroup: Number(field(8)),
    startTicks: field(22),
    // Another call to the kernel, and few ask.
    get uid() {
      return ownerOf(pid);
    },
  };
}

function listProcesses(): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    const info = /^\d+$/.test(name) ? findProcess(Number(name)) : undefined;
    if (info) found.push(info);
  }
  return found;
}

function isAlive(identity: ProcessIdentity): boolean {
  return isLiving(findProcess(identity.pid), identity);
}

function commandLine(pid: number): string {
  return (readProc(`${pid}/cmdline`) ?? '').replace(/\0+$/, '').replaceAll('\0', ' ');
}

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const names = orNone(() => readdirSync(folder)) ?? [];
  // One that was closed since is none.
  const paths = names.map((name) => orNone(() => readlinkSync(`${folder}/${name}`)) ?? '');
  return paths.filter((path) => path.startsWith('/'));
}

/** Gone, or another user's. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

let bootSeconds: number | undefined;

function startedAt(identity: ProcessIdentity): Date {
  // The kernel counts every interrupt for this file; the boot time in it stays.
  bootSeconds ??= Number(/^btime (\d+)/m.exec(readProc('stat') ?? '')?.[1] ?? 0);
  return new Date((bootSeconds + Number(identity.startTicks) / TICKS_PER_SECOND) * 1000);
}

function environmentValues(name: string): ReadonlyMap<number, string> {
  const uid = process.getuid?.() ?? -1;
  const found = new Map<number, string>();
  for (const info of listProcesses()) {
    if (info.uid !== uid) continue;
    const entries = (readProc(`${info.pid}/environ`) ?? '').split('\0');
    const entry = entries.find((each) => each.startsWith(`${name}=`));
    if (entry !== undefined) found.set(info.pid, entry.slice(name.length + 1));
  }
  return found;
}

function withEnvironment(name: string, value: string): readonly number[] {
  return [...environmentValues(name)].flatMap(([pid, found]) => (found === value ? [pid] : []));
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  const isNonsense = !Number.isSafeInteger(identity.pid) || identity.pid <= 1;
  if (isNonsense || identity.pid === process.pid || !isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function ownerOf(pid: number): number {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return -1;
  }
}

/** Longest /proc/<pid>/stat there is: 52 numbers and a name of 64 bytes. */
const statBuffer = Buffer.alloc(2_048);

/** One read, since every look asks for every agent; gone is an answer, not a failure. */
function readStat(pid: number): string | undefined {
  try {
    const handle = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return statBuffer.toString('latin1', 0, readSync(handle, statBuffer));
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** A process may end between any two reads: gone is an answer, not a failure. */
function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
