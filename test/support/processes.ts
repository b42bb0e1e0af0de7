import { readdirSync, readFileSync } from 'node:fs';

/** A process as /proc shows it now. */
export interface ProcessSeen {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The process group that holds its terminal; -1 without one. */
  readonly foregroundGroup: number;
  readonly state: string;
  /** Start time in clock ticks since boot. */
  readonly startTicks: string;
}

/** Undefined when there is none. */
export function findProcess(pid: number): ProcessSeen | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => fields[number - 3] ?? '';
    return {
      pid,
      state: field(3),
      parent: Number(field(4)),
      group: Number(field(5)),
      foregroundGroup: Number(field(8)),
      startTicks: field(22),
    };
  } catch {
    return undefined;
  }
}

/** A zombie has ended. */
export function isAlive(pid: number): boolean {
  const found = findProcess(pid);
  return found !== undefined && !'ZX'.includes(found.state);
}

export function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The environment that a process was started with; empty when it cannot be read. */
export function environmentOf(pid: number): Record<string, string> {
  const text = readProc(`${pid}/environ`);
  const pairs = text.split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(
    pairs.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/** Arguments separated by blanks; empty for a zombie, or one that ended meanwhile. */
export function commandLineOf(pid: number): string {
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
