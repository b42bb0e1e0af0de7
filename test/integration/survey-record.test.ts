import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workspacePaths } from '../../src/domain/workspace.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import { TmuxMultiplexer } from '../../src/drivers/tmux/tmux-multiplexer.ts';
import { Survey } from '../../src/services/fleet/care/survey.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn } from '../support/fleet-context.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';

let root = '';
let registry: SqliteRegistry;
let recorder: ChildProcess;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-survey-'));
  registry = SqliteRegistry.open({ path: join(root, 'agent-sessions.db') });
  recorder = spawn('sleep', ['1000']);
});

afterEach(() => {
  recorder.kill('SIGKILL');
  registry.close();
  rmSync(root, { recursive: true, force: true });
});

describe('an agent that is gone, and whose recorder writes its end down', () => {
  it('is not taken for one without a record when both happen while tmux is asked', async () => {
    const go = join(root, 'go');
    // What goes on meanwhile on a busy machine: the record, then the recorder's own end.
    const shim = makeTmuxShim(join(root, 'shim'), {
      before: `if [ -e ${go} ]; then
        printf '137 1796000000 0\\n' >${root}/exit.new && mv ${root}/exit.new "$(cat ${go})/exit"
        kill -9 ${recorder.pid}; while kill -0 ${recorder.pid} 2>/dev/null; do sleep 0.01; done
      fi`,
    });
    const context = fleetContextIn(root, registry, {
      multiplexer: new TmuxMultiplexer({
        ...{ program: shim.program, socket: join(root, 'sock'), configFile: '/dev/null' },
        ...{ env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000 },
      }),
    });
    const { host, boot, pidNamespace } = context.processes.self;
    const dead = { pid: endedPid(), startTicks: '1' };
    const tmux = { sessionId: '$0', paneId: '%0', sessionName: 's', socket: join(root, 'sock') };
    const session = exampleSession('a', { host, boot, pidNamespace, agentProcess: dead, tmux });
    registry.update((tx) => tx.putSession(session));
    const folder = workspacePaths.launch(context.workspace, session.launch);
    mkdirSync(folder, { recursive: true });
    const { startTicks } = context.processes.find(recorder.pid ?? 0) ?? {};
    writeFileSync(join(folder, 'inner'), `${recorder.pid} ${startTicks}\n`);

    const survey = new Survey(context);
    const look = async () => {
      const { sessions } = await survey.look({ isFirstLook: false, isThorough: false });
      return sessions.map(({ seen, wasLifeless }) => [seen.exit?.status, wasLifeless]);
    };
    // Its recorder lives, and may still write it down.
    expect(await look()).toEqual([[undefined, false]]);
    expect(await look()).toEqual([[undefined, false]]);
    const ended = once(recorder, 'exit');
    writeFileSync(go, folder);
    expect(await look()).toEqual([[undefined, false]]);
    await ended;
    expect(await look()).toEqual([[137, true]]);
  });
});

/** Of a process that is no more. */
function endedPid(): number {
  return spawnSync('true').pid;
}
