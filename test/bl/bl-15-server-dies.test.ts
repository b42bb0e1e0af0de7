import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findingsOf,
  monitor,
  untilConnected,
  untilLooked,
  withMonitor,
} from '../support/monitor-seen.ts';
import { allPids, commandLineOf, isAlive } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const names = ['a1', 'a2', 'a3'];

describe('BL-15 the tmux server dies', () => {
  it('says so once, and resume brings each session back on its own conversation', async () => {
    await using bed = await TestBed.open();
    for (const name of names) {
      await bed.create(name);
      await bed.ok(['send', name, `the word of ${name}`, '--wait', 'answered']);
    }
    const before = await list(bed);
    process.kill(serverPid(bed), 'SIGKILL');

    const seen = (await bed.ok(['status', '--json'])).json;
    expect(seen.tmux.server).toBe('gone');
    expect(seen.sessions.map(({ activity }: Listed) => [activity.state, activity.detail])).toEqual(
      names.map(() => ['lost', 'server-gone']),
    );

    const resumed = await bed.ok(['resume', '--all', '--json']);
    expect(resumed.json.failed).toEqual([]);
    const after = await list(bed);
    expect(after.map(conversation)).toEqual(before.map(conversation));
    expect(new Set(after.map(conversation)).size).toBe(3);
    for (const name of names) {
      const { stdout } = await bed.ok(['send', name, 'recall', '--wait', 'answered']);
      expect(stdout).toBe(`I remember 1 earlier messages: "the word of ${name}"\n`);
    }
    expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('up');
  });

  it('starts nothing twice while only the socket is missing, and says how to get it back', async () => {
    await using bed = await TestBed.open();
    for (const name of names) await bed.create(name);
    const before = await list(bed);
    const pid = serverPid(bed);
    rmSync(bed.socket);

    const seen = (await bed.ok(['status', '--json'])).json;
    expect(seen.tmux.server).toBe('unreachable');
    expect(seen.sessions.map(({ activity }: Listed) => [activity.state, activity.detail])).toEqual(
      names.map(() => ['lost', 'socket-missing']),
    );
    const hint = `kill -USR1 ${pid}`;
    const create = ['create', 'a4', '--agent', 'demo', '--role', 'creator'];
    for (const args of [['capture', 'a1'], ['attach', 'a1'], create]) {
      const { code, json } = await bed.mam([...args, '--json']);
      expect([code, json.error.code], args.join(' ')).toEqual([5, 'tmux.unreachable']);
      expect(json.error.hint).toContain(hint);
    }
    const resumed = await bed.mam(['resume', 'a1', '--json']);
    expect(resumed.code).toBe(5);
    expect(resumed.json.failed[0].error).toMatchObject({ code: 'tmux.unreachable' });
    expect(resumed.json.failed[0].error.hint).toContain(hint);
    await bed.ok(['resume', '--all']);
    expect((await bed.mam(['send', 'a1', 'hi'])).code).toBe(4);
    expect(before.map(({ agent_pid }) => isAlive(agent_pid))).toEqual([true, true, true]);
    expect(agentsOf(bed).length).toBe(3);
    expect(await list(bed)).toMatchObject(before.map(({ agent_pid }) => ({ agent_pid })));

    process.kill(pid, 'SIGUSR1');
    await until('the server listens again', async () => {
      const { tmux } = (await bed.ok(['status', '--json'])).json;
      return tmux.server === 'up';
    });
    expect((await list(bed)).map(({ activity }) => activity.state)).toEqual(
      names.map(() => 'idle'),
    );
    await bed.ok(['send', 'a1', 'hi']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['hi']);
  });

  it.each([true, false])(
    'is one finding of the monitor, which marks nobody (control mode %s)',
    async (controlMode) => {
      await using bed = await TestBed.open();
      if (!controlMode) bed.configure('tmux: { control_mode: false }\n');
      for (const name of names) {
        await bed.create(name);
        await bed.ok(['send', name, `the word of ${name}`, '--wait', 'answered']);
      }
      const before = await list(bed);
      await withMonitor(bed, async () => {
        await untilConnected(bed, controlMode);
        process.kill(serverPid(bed), 'SIGKILL');
        await until('it is told', () => findingsOf(bed).length > 0);
        const seen = await list(bed);
        expect(
          seen.map(({ status, activity }) => [status, activity.state, activity.detail]),
        ).toEqual(names.map(() => ['running', 'lost', 'server-gone']));

        await untilLooked(bed);
        const told =
          'server-gone server: The tmux server is gone, and with it what ran on it. mam resume --all brings it back. [none]';
        expect(findingsOf(bed)).toEqual([told]);
        expect((await list(bed)).map(({ status }) => status)).toEqual(names.map(() => 'running'));
        expect((await monitor(bed, 'status')).errors).toEqual([]);

        const resumed = await bed.ok(['resume', '--all', '--json']);
        expect(resumed.json.failed).toEqual([]);
        await untilConnected(bed, controlMode);
        expect((await list(bed)).map(conversation)).toEqual(before.map(conversation));
        for (const name of names) {
          const { stdout } = await bed.ok(['send', name, 'recall', '--wait', 'answered']);
          expect(stdout).toBe(`I remember 1 earlier messages: "the word of ${name}"\n`);
        }
        // From the next server on, what is not back yet has ended, and may be marked before it is resumed.
        const others = findingsOf(bed).filter((finding) => !finding.startsWith('A '));
        expect(others).toEqual([told]);
        await bed.ok(['stop', '--all']);
      });
    },
  );

  it.each([true, false])(
    'is told once by the monitor when only the socket is missing, with what helps (control mode %s)',
    async (controlMode) => {
      await using bed = await TestBed.open();
      if (!controlMode) bed.configure('tmux: { control_mode: false }\n');
      for (const name of names) await bed.create(name);
      const before = await list(bed);
      const pid = serverPid(bed);
      await withMonitor(bed, async () => {
        await untilConnected(bed, controlMode);
        rmSync(bed.socket);
        await until('it is told', () => findingsOf(bed).length > 0);
        await untilLooked(bed);
        const [told = '', ...others] = findingsOf(bed);
        expect([told, others]).toEqual([expect.stringMatching(/^server-unreachable server: /), []]);
        expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('unreachable');
        expect(await list(bed)).toMatchObject(
          before.map(({ agent_pid }) => ({ agent_pid, status: 'running' })),
        );
        expect(agentsOf(bed).length).toBe(3);

        const [, command = ''] = /(kill -USR1 \d+)/.exec(told) ?? [];
        expect(command).toBe(`kill -USR1 ${pid}`);
        expect(spawnSync('sh', ['-c', command]).status).toBe(0);
        await until('the server listens again', async () => {
          const { tmux } = (await bed.ok(['status', '--json'])).json;
          return tmux.server === 'up';
        });
        await untilConnected(bed, controlMode);
        await bed.ok(['send', 'a1', 'hi', '--wait', 'answered']);
        expect(findingsOf(bed)).toEqual([told]);
        await bed.ok(['stop', '--all']);
      });
    },
  );

  it('stops sessions of a server without socket, and the server with the last one', async () => {
    await using bed = await TestBed.open();
    for (const name of names) await bed.create(name);
    const pid = serverPid(bed);
    const before = await list(bed);
    rmSync(bed.socket);
    const stopped = await bed.ok(['stop', '--all', '--json']);
    expect(stopped.json.sessions.map(({ ended_by }: Stopped) => ended_by)).toEqual(
      names.map(() => 'exit'),
    );
    expect(before.filter(({ agent_pid }) => isAlive(agent_pid))).toEqual([]);
    await until('the server has ended', () => !isAlive(pid));
    expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('none');
  });

  it('stops what it can when the socket cannot come back, and does not forget the server', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'the word is fig', '--wait', 'answered']);
    const [before] = await list(bed);
    const pid = serverPid(bed);
    rmSync(bed.socket);
    // What lies in its place cannot be removed by tmux.
    mkdirSync(bed.socket);
    const stopped = await bed.ok(['stop', 'a1', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ ended_by: 'term', survivors: [] });
    expect(isAlive(before?.agent_pid ?? 0)).toBe(false);
    expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('unreachable');
    const refused = await bed.mam(['resume', 'a1', '--json']);
    expect([refused.code, refused.json.failed[0].error.code]).toEqual([5, 'tmux.unreachable']);

    rmdirSync(bed.socket);
    process.kill(pid, 'SIGUSR1');
    await until('the server listens again', () => existsSync(bed.socket));
    await bed.ok(['resume', 'a1']);
    expect(serverPid(bed)).toBe(pid);
    const { stdout } = await bed.ok(['send', 'a1', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('the word is fig');
    expect(bed.tmux('list-sessions', '-F', 'x').stdout).toBe('x\n');
  });

  it("is out of reach of an agent's plain `tmux kill-server`", async () => {
    await using bed = await TestBed.open();
    const dump = join(bed.root, 'env.json');
    await bed.create('a1', ['--env-dump', dump]);
    const env = JSON.parse(readFileSync(dump, 'utf8'));
    expect(Object.keys(env).filter((name) => name.startsWith('TMUX'))).toEqual([]);
    const killed = spawnSync('tmux', ['kill-server'], { env, encoding: 'utf8' });
    expect(killed.stderr).toMatch(/no server running|error connecting/);
    expect((await bed.session('a1')).activity.state).toBe('idle');
  });
});

interface Listed {
  readonly name: string;
  readonly status: string;
  readonly agent_pid: number;
  readonly conversation_id: string;
  readonly activity: { readonly state: string; readonly detail: string | null };
}

interface Stopped {
  readonly ended_by: string;
}

async function list(bed: TestBed): Promise<readonly Listed[]> {
  return (await bed.ok(['status', '--json'])).json.sessions;
}

function conversation({ name, conversation_id }: Listed): string {
  return `${name} ${conversation_id}`;
}

function serverPid(bed: TestBed): number {
  return Number(bed.tmux('display-message', '-p', '#{pid}').stdout);
}

function agentsOf(bed: TestBed): number[] {
  const isAgent = (pid: number) => {
    const command = commandLineOf(pid);
    return command.includes('demo-agent.js') && command.includes(bed.root);
  };
  return allPids().filter(isAgent);
}
