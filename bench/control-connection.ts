// What the control connection does for the monitor, and how soon it tells of a server's end.
//   argv: screens SOCKET ROUNDS | death FOLDER SESSIONS ROUNDS
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ControlRunner } from '../src/drivers/tmux/control/runner.ts';
import { TmuxMultiplexer } from '../src/drivers/tmux/tmux-multiplexer.ts';

const [what, at = '', ...numbers] = process.argv.slice(2);
const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LC_ALL: 'C.UTF-8' };

function clientOf(socket: string) {
  return { program: 'tmux', socket, configFile: '/dev/null', env, timeoutMs: 10_000 };
}

const ignore = { onNotice: () => undefined, onEnd: () => undefined };

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** How long every screen of a server took, milliseconds. */
interface Screens {
  /** The bare command for each pane, one after another without waiting. */
  readonly control: number;
  /** By `Multiplexer.capture`: behind its guard, and with colours. */
  readonly guarded: number;
  /** With everything else that `Multiplexer.look` reads, and taken apart. */
  readonly look: number;
  /** A process for each pane. */
  readonly spawned: number;
}

/** Every way in turn, so that what disturbs one disturbs all. */
async function screens(rounds: number): Promise<readonly Screens[]> {
  const client = clientOf(at);
  using runner = new ControlRunner(client, ignore);
  if (!(await runner.connect())) throw new Error('no connection');
  const multiplexer = new TmuxMultiplexer(client, runner);
  const seen = await multiplexer.look([]);
  const panes = seen.server === 'up' ? seen.panes.filter(({ launchTag }) => launchTag !== '') : [];
  const ids = [...new Map(panes.map(({ sessionId, paneId }) => [sessionId, paneId])).values()];
  const all = async (read: (id: string) => Promise<string | undefined>) => {
    const found = await Promise.all(ids.map(read));
    if (found.some((screen) => !screen)) throw new Error('a screen is missing');
  };
  const capture = (id: string) => ['capture-pane', '-p', '-t', id];
  const run = promisify(execFile);
  const ways = {
    control: () => all(async (id) => (await runner.run(capture(id))).stdout),
    guarded: () => all((id) => multiplexer.capture(id, { historyLines: 0 })),
    look: () => multiplexer.look(ids),
    spawned: async () => {
      for (const id of ids) await run('tmux', ['-S', at, ...capture(id)], { env });
    },
  };
  // A monitor has long been compiled when it reads them.
  for (let i = 0; i < 10; i++) {
    for (const way of [ways.control, ways.guarded, ways.look]) await way();
  }
  const found: Screens[] = [];
  for (let round = 0; round < rounds; round++) {
    const { control, guarded, look, spawned } = ways;
    found.push({
      control: await timed(control),
      guarded: await timed(guarded),
      look: await timed(look),
      spawned: await timed(spawned),
    });
  }
  return found;
}

/** From SIGKILL of a server with so many sessions to the moment at which its end is told. */
async function death(sessions: number, rounds: number): Promise<readonly number[]> {
  const found: number[] = [];
  const commands = Array.from({ length: sessions }, () => 'new-session -d "exec sleep 600"\n');
  writeFileSync(`${at}/sessions.conf`, commands.join(''));
  for (let round = 0; round < rounds; round++) {
    const socket = `${at}/death-${round}.sock`;
    const client = clientOf(socket);
    const tmux = (...args: readonly string[]) =>
      spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' });
    tmux('new-session', '-d', 'exec sleep 600', ';', 'source-file', `${at}/sessions.conf`);
    const pid = Number(tmux('display-message', '-p', '#{pid}').stdout);
    const end = new EventTarget();
    const onEnd = () => end.dispatchEvent(new Event('end'));
    using runner = new ControlRunner(client, { ...ignore, onEnd });
    if (!(await runner.connect())) throw new Error('no connection');
    found.push(
      await timed(async () => {
        const told = once(end, 'end');
        process.kill(pid, 'SIGKILL');
        await told;
      }),
    );
  }
  return found;
}

const [first = 0, second = 0] = numbers.map(Number);
console.log(JSON.stringify(what === 'screens' ? await screens(first) : await death(first, second)));
