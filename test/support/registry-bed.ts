import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { bundleFolder, type CliResult, finished } from './test-bed.ts';

/** A registry file with processes of its own that write it. */
export class RegistryBed implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'mam-r-'));
  readonly path: string;
  readonly #children: ChildProcess[] = [];

  /** @param path - An existing registry; it stays. Default: one of its own. */
  constructor(path?: string) {
    this.path = path ?? join(this.root, 'agent-sessions.db');
  }

  /** For this process; each call opens another connection. */
  open(): SqliteRegistry {
    return SqliteRegistry.open({ path: this.path });
  }

  start(...args: readonly string[]): ChildProcess {
    const worker = join(bundleFolder('crash'), 'workers', 'registry-worker.mjs');
    const child = spawn(process.execPath, [worker, this.path, ...args], {
      env: { ...process.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    return child;
  }

  run(...args: readonly string[]): Promise<CliResult> {
    return finished(this.start(...args));
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Resolves with the first line that a process says. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('\n')) resolve(said.slice(0, said.indexOf('\n')));
    });
    child.on('close', () => reject(new Error(`ended without a line: ${said}`)));
  });
}
