import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { allPids, findProcess } from './processes.ts';

/** A run's folder carries its runner: pid and start time in ticks. */
const NAME = /^mam-run-(\d+)-(\d+)-/;

/** Makes the folder in which one run of the tests keeps everything temporary. Users other than us may enter. */
export function makeRunFolder(parent: string): string {
  const ticks = findProcess(process.pid)?.startTicks;
  const folder = mkdtempSync(join(parent, `mam-run-${process.pid}-${ticks}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** What runs left that were killed from outside: their processes are ended, their folders removed. */
export function reapDeadRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid, ticks] = NAME.exec(name) ?? [];
    if (pid === undefined || findProcess(Number(pid))?.startTicks === ticks) continue;
    endRun(join(parent, name));
  }
}

/** Ends whatever still runs in a run's folder, and removes it. */
export function endRun(folder: string): void {
  for (const pid of allPids().filter((each) => each !== process.pid && belongsTo(each, folder))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

/** By its arguments or by an environment whose home or temporary files are there. */
function belongsTo(pid: number, folder: string): boolean {
  return ['cmdline', 'environ'].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(`${folder}/`);
    } catch {
      return false;
    }
  });
}
