import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeJson } from './home.ts';

/** Long enough for any test, short enough not to stay for ever when a test forgets them. */
const LIFE_S = '3600';

/** Started by the child, in a session of its own, deaf to HUP and TERM. */
const GRANDCHILD = `setsid sh -c 'trap "" HUP TERM; exec sleep ${LIFE_S}' >/dev/null 2>&1 & echo $!; wait`;
/** Its parent ends at once, so another process adopts it. */
const ORPHAN = `sleep ${LIFE_S} >/dev/null 2>&1 & echo $!`;

export function treeFile(home: string): string {
  return join(home, `tree-${process.pid}.json`);
}

/** Starts the processes that a careless stop leaves behind and writes their pids to the tree file. */
export async function startTree(home: string): Promise<void> {
  const [first, orphan] = await Promise.all([startAndReadPid(GRANDCHILD), startAndReadPid(ORPHAN)]);
  writeJson(treeFile(home), {
    agent: process.pid,
    child: first.child,
    grandchild: first.printed,
    orphan: orphan.printed,
  });
}

/** A plain child that lives until it is ended from outside. */
export function startChild(): number | undefined {
  const child = spawn('sleep', [LIFE_S], { stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
  return child.pid;
}

/** A process that outlives us and keeps the terminal open; its pid goes to the tree file. */
export function leaveProcess(home: string): void {
  const left = spawn('sleep', [LIFE_S], { stdio: 'inherit', detached: true });
  left.on('error', () => {});
  left.unref();
  writeJson(treeFile(home), { agent: process.pid, left: left.pid });
}

async function startAndReadPid(script: string): Promise<{ child: number; printed: number }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.unref();
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child: child.pid ?? 0, printed: Number(line) };
}
