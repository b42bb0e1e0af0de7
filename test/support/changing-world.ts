import { mkdirSync, rmSync } from 'node:fs';
import type { Session } from '../../src/domain/session.ts';
import { workspacePaths } from '../../src/domain/workspace.ts';
import type { PaneLook, ServerLook } from '../../src/ports/multiplexer.ts';
import type { FleetContext } from '../../src/services/fleet/context.ts';
import { exampleObservation } from './example-observation.ts';
import { exampleSession } from './example-session.ts';

const SESSIONS = 3;
/** How often one session goes and another comes, and how often tmux does not answer. Looks. */
const CHANGE_EVERY = 5;
const FAIL_EVERY = 7;

/**
 * A fleet of always the same size in which nothing stays: sessions come and go, each look shows a stranger
 * that was never seen before, and each failure says something new. Whatever remembers more than the present
 * grows. This process is the agent of those that have one.
 */
export class ChangingWorld {
  readonly #context: FleetContext;
  #sessions: readonly Session[] = [];
  #looks = 0;
  #made = 0;

  /** @param real - Its registry, files and settings; nothing of tmux and no other process is looked at. */
  constructor(real: FleetContext) {
    const look = () => this.#look();
    // There, and neither a file nor a folder, as a socket is.
    const multiplexer = { ...real.multiplexer, socket: '/dev/null', look };
    const processes = { ...real.processes, list: () => [] };
    this.#context = { ...real, multiplexer, processes };
    for (let i = 0; i < SESSIONS; i++) this.#replaceOldest();
  }

  get context(): FleetContext {
    return this.#context;
  }

  async #look(): Promise<ServerLook> {
    this.#looks++;
    if (this.#looks % CHANGE_EVERY === 0) this.#replaceOldest();
    if (this.#looks % FAIL_EVERY === 0) throw new Error(`look ${this.#looks} failed`);
    const stranger = { sessionId: '$0', paneId: '%0', sessionName: `stranger-${this.#looks}` };
    const tags = { workspaceTag: '', sessionTag: '', launchTag: '' };
    const panes = [...this.#sessions.map(paneOf), { ...examplePane, ...stranger, ...tags }];
    return { server: 'up', pid: undefined, panes };
  }

  #replaceOldest(): void {
    const { registry, processes, workspace } = this.#context;
    const { host, boot, pidNamespace, pid, startTicks } = processes.self;
    const number = ++this.#made;
    const next = exampleSession(`s${number}`, {
      ...{ host, boot, pidNamespace },
      // Of every second one no agent is known yet.
      agentProcess: number % 2 === 0 ? { pid, startTicks } : null,
      tmux: {
        ...{ socket: '/dev/null', sessionName: `s${number}` },
        ...{ sessionId: `$${number}`, paneId: `%${number}` },
      },
    });
    const gone = this.#sessions.slice(0, -(SESSIONS - 1));
    mkdirSync(workspacePaths.spool(workspace, next.launch), { recursive: true });
    registry.update((tx) => {
      for (const { id } of gone) tx.deleteSession(id);
      tx.putSession(next);
    });
    for (const { launch } of gone)
      rmSync(workspacePaths.launch(workspace, launch), { recursive: true });
    this.#sessions = [...this.#sessions.slice(-(SESSIONS - 1)), next];
  }
}

const examplePane = exampleObservation().pane as PaneLook;

function paneOf({ id, launch, tmux }: Session): PaneLook {
  return { ...examplePane, ...tmux, sessionTag: id, launchTag: launch };
}
