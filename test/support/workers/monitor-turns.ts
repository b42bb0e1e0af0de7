// A monitor whose turns follow each other without a pause; tells what it holds after some of them.
//   argv: WORKSPACE changing|tmux TURNS…     changing: test/support/changing-world.ts; tmux: as it really is
// Run with node --expose-gc.
import { readdirSync } from 'node:fs';
import { openFleet } from '../../../src/app/open-fleet.ts';
import { ControlRunner } from '../../../src/drivers/tmux/control/runner.ts';
import { fleetCare } from '../../../src/services/fleet/care/care.ts';
import { Monitor } from '../../../src/services/monitor/monitor.ts';
import { ChangingWorld } from '../changing-world.ts';
import { FastClock } from '../fast-clock.ts';
import type { Held } from '../held.ts';

/** Looks that are measured one after another at each mark: the least of them is what is really held. */
const SAMPLES = 20;

const [workspace = '', world, ...marks] = process.argv.slice(2);
const wanted = marks.map(Number);
const collect = global.gc;
if (!collect) throw new Error('run with --expose-gc');

const held = new Map<number, Held>();
const end = new AbortController();
const quiet = { warn: () => undefined, debug: () => undefined };
const options = { workspace, clock: new FastClock(), logger: quiet, signal: end.signal };
let link: ControlRunner | undefined;
using fleet = await openFleet(options, (client) => {
  const events = { onNotice: () => undefined, onEnd: () => undefined };
  link = world === 'tmux' ? new ControlRunner(client, events) : undefined;
  return link;
});
const context = world === 'tmux' ? fleet.context : new ChangingWorld(fleet.context).context;
const monitor = new Monitor({
  context: { ...context, care: fleetCare(context) },
  ...{ face: fleet.face, notifiers: [], hostName: 'here', link, isStart: true },
  abort: () => end.abort(),
  onTurn: ({ turns, errors, isConnected }) => {
    const mark = wanted.find((each) => turns >= each && turns < each + SAMPLES);
    if (mark === undefined) return;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const openFiles = readdirSync('/proc/self/fd').length;
    const sample = { turns: mark, heapBytes: heapUsed, externalBytes: external, openFiles };
    const before = held.get(mark);
    if (!before || heapUsed < before.heapBytes) held.set(mark, sample);
    if (world === 'tmux' && (!isConnected || errors.length > 0))
      throw new Error(`not what was to be measured: ${JSON.stringify({ isConnected, errors })}`);
    if (turns === Math.max(...wanted) + SAMPLES - 1) end.abort();
  },
});
await monitor.run(end.signal);
console.log(JSON.stringify([...held.values()]));
