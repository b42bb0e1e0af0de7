import type { Session } from '../../domain/session.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { MonitorContext } from './context.ts';

/** Folders of launches and their spools: told at once when something changes in one. */
export class Changes implements Disposable {
  readonly #context: Pick<MonitorContext, 'files' | 'workspace'>;
  readonly #onChange: () => void;
  readonly #watches = new Map<string, Disposable>();
  /** When each launch's spool was changed last, as it was last looked at. Milliseconds since 1970. */
  readonly #spools = new Map<string, number>();
  #changed = new Set<string>();

  constructor(context: Pick<MonitorContext, 'files' | 'workspace'>, onChange: () => void) {
    this.#context = context;
    this.#onChange = onChange;
  }

  /** Launches in which something has changed since the last time. */
  take(): ReadonlySet<string> {
    const taken = this.#changed;
    this.#changed = new Set();
    return taken;
  }

  /** What could not be looked at this time. */
  putBack(launches: ReadonlySet<string>): void {
    for (const launch of launches) this.#changed.add(launch);
  }

  /** Whether hook events may wait: a notice of the file system may have been lost. */
  hasWaiting({ launch }: Session): boolean {
    const { files, workspace } = this.#context;
    const changedMs = files.stat(workspacePaths.spool(workspace, launch))?.modifiedMs;
    if (changedMs === undefined || changedMs === this.#spools.get(launch)) return false;
    this.#spools.set(launch, changedMs);
    return true;
  }

  watch(sessions: readonly Session[]): void {
    const { files, workspace } = this.#context;
    const wanted = new Map<string, string>();
    for (const { launch } of sessions) {
      wanted.set(workspacePaths.launch(workspace, launch), launch);
      wanted.set(workspacePaths.spool(workspace, launch), launch);
    }
    const launches = new Set(wanted.values());
    for (const launch of this.#spools.keys()) {
      if (!launches.has(launch)) this.#spools.delete(launch);
    }
    for (const [folder, watch] of this.#watches) {
      if (wanted.has(folder)) continue;
      watch[Symbol.dispose]();
      this.#watches.delete(folder);
    }
    for (const [folder, launch] of wanted) {
      if (this.#watches.has(folder)) continue;
      const watch = files.watch(folder, () => {
        this.#changed.add(launch);
        this.#onChange();
      });
      if (watch) this.#watches.set(folder, watch);
    }
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
    this.#watches.clear();
  }
}
