import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestBed } from './test-bed.ts';
import { until } from './until.ts';

/** What `mam monitor start|stop|status --json` tells. */
export interface MonitorSeen {
  readonly running: boolean;
  readonly pid: number;
  readonly control_mode: boolean;
  /** ISO 8601. */
  readonly last_reconcile: string | null;
  readonly turns: number;
  readonly errors: readonly string[];
}

export async function monitor(bed: TestBed, verb: string): Promise<MonitorSeen> {
  const { stdout } = await bed.ok(['monitor', verb, '--json']);
  return JSON.parse(stdout).monitor;
}

/** The face that it writes; while it is being replaced there is none for a moment. */
export function faceOf(bed: TestBed): string {
  try {
    return readFileSync(join(bed.cwd, '.mam/agent-sessions.yaml'), 'utf8');
  } catch {
    return '';
  }
}

/** Its log of what it found and did; empty before the first line. */
export function logOf(bed: TestBed): string {
  const path = join(bed.cwd, '.mam/logs/monitor.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The findings in its log, for example `A api: The agent was found dead. [mark-terminated]`. */
export function findingsOf(bed: TestBed): readonly string[] {
  const finding = /^\S+ ((?:[ABCD]|server-gone|server-unreachable|terminal-lost|orphans) .*\]) \{/;
  return logOf(bed)
    .split('\n')
    .flatMap((line) => finding.exec(line)?.[1] ?? []);
}

/** A monitor runs meanwhile, however `fn` ends. */
export async function withMonitor(bed: TestBed, fn: (pid: number) => Promise<void>): Promise<void> {
  const { pid } = await monitor(bed, 'start');
  try {
    await fn(pid);
  } finally {
    await monitor(bed, 'stop');
  }
}

export async function untilConnected(bed: TestBed, isConnected = true): Promise<void> {
  await until(
    'its control connection is as it should be',
    async () => (await monitor(bed, 'status')).control_mode === isConnected,
  );
}

/** So many whole looks, all of them from now on: none that was under way, none that the file is late with. */
export async function untilLooked(bed: TestBed, looks = 3): Promise<void> {
  const now = new Date().toISOString();
  const first = await until('a look from now on', async () => {
    const seen = await monitor(bed, 'status');
    return (seen.last_reconcile ?? '') > now && seen;
  });
  await until(`${looks} more looks`, async () => {
    return (await monitor(bed, 'status')).turns >= first.turns + looks;
  });
}
