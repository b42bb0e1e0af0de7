import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { sqliteGate } from '../../src/drivers/sqlite/gate.ts';
import { ControlRunner } from '../../src/drivers/tmux/control/runner.ts';
import { launchOf, TmuxRig } from '../support/tmux-rig.ts';
import { until } from '../support/until.ts';

const SLEEP = 'exec sleep 600';
const quiet = { onNotice: () => undefined, onEnd: () => undefined };
const ROUNDS = 12;

describe('a control client that attaches while sessions come and go', () => {
  it('never costs the server its life', async () => {
    await using rig = new TmuxRig();
    const { serverPid } = await rig.start('first', SLEEP);
    const tried: boolean[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      using runner = new ControlRunner(rig.client, quiet);
      const isFirst = round % 2 === 0;
      const before = isFirst ? runner.connect() : undefined;
      const starting = rig.start(`s${round}`, SLEEP);
      tried.push(await (before ?? runner.connect()));
      const { sessionId, serverPid: there } = await starting;
      expect(there).toBe(serverPid);
      const ending = rig.multiplexer.killSession(sessionId, launchOf(`s${round}`));
      await Promise.all([ending, runner.connect()]);
    }
    // Whoever comes first has its turn.
    expect(tried).toEqual(tried.map((_, round) => round % 2 === 0));
    const look = await rig.multiplexer.look([]);
    expect(look).toMatchObject({ server: 'up', pid: serverPid });
  });

  it('waits for its turn, and leaves it with its end', async () => {
    await using rig = new TmuxRig();
    await rig.start('first', SLEEP);
    const path = `${rig.socket}.gate`;
    const gate = sqliteGate(path, systemClock);
    using runner = new ControlRunner(rig.client, quiet);
    const inside = await gate.enter();
    using _another = await gate.enter();
    expect(await runner.connect()).toBe(false);
    inside[Symbol.dispose]();
    expect(await runner.connect()).toBe(false);
    _another[Symbol.dispose]();
    expect(await runner.connect()).toBe(true);
    using alone = gate.tryAlone();
    expect(alone).toBeDefined();
    expect(gate.tryAlone()).toBeUndefined();
  });

  it('leaves the gate when it is killed in it', async () => {
    await using rig = new TmuxRig();
    const path = join(rig.folder, 'run', 'some.gate');
    mkdirSync(dirname(path), { recursive: true });
    const script = `
      const db = require('better-sqlite3')(process.argv[1]);
      db.exec('BEGIN EXCLUSIVE');
      process.stdout.write('alone');
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 2] });
    await new Promise((resolve) => holder.stdout?.once('data', resolve));
    const gate = sqliteGate(path, systemClock);
    expect(gate.tryAlone()).toBeUndefined();
    const entering = gate.enter();
    holder.kill('SIGKILL');
    using _inside = await entering;
    expect(gate.tryAlone()).toBeUndefined();
  });

  it('is open where its file cannot be made, and nobody is alone there', async () => {
    await using rig = new TmuxRig();
    writeFileSync(join(rig.folder, 'file'), '');
    const gate = sqliteGate(join(rig.folder, 'file', 'some.gate'), systemClock);
    using _inside = await gate.enter();
    expect(gate.tryAlone()).toBeUndefined();
  });

  it('lets a frozen one be passed by', async () => {
    await using rig = new TmuxRig();
    const path = join(rig.folder, 'run', 'some.gate');
    using alone = sqliteGate(path, systemClock).tryAlone();
    expect(alone).toBeDefined();
    let nowMs = 0;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const clock = { ...systemClock, monotonicMs: () => nowMs, sleep };
    using _inside = await sqliteGate(path, clock).enter();
    expect(nowMs).toBeGreaterThanOrEqual(2_000);
  });
});

describe('a control client that never got an answer', () => {
  it('is not killed before it is attached, and is alone until it has ended', async () => {
    await using rig = new TmuxRig();
    const { serverPid } = await rig.start('first', SLEEP);
    process.kill(serverPid, 'SIGSTOP');
    using runner = new ControlRunner({ ...rig.client, timeoutMs: 300 }, quiet);
    expect(await runner.connect()).toBe(false);
    expect(await runner.connect()).toBe(false);
    expect(clientsOf(rig)).toHaveLength(1);
    process.kill(serverPid, 'SIGCONT');
    await until('it has ended', () => clientsOf(rig).length === 0);
    await until('another one is taken', () => runner.connect());
    expect(await rig.multiplexer.look([])).toMatchObject({ server: 'up', pid: serverPid });
  });
});

/** Command lines of the control clients of the rig's server. */
function clientsOf(rig: TmuxRig): string[] {
  return rig.commandLines().filter((line) => line.includes('\0-C\0'));
}
