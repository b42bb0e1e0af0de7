import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectSoundFleet, readFleet } from '../support/fleet-check.ts';
import { isAlive } from '../support/processes.ts';
import { patchSession, storedSession } from '../support/registry-sql.ts';
import { finished, TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--json'];

describe('a create that is killed', () => {
  it.each(['launch.reserved', 'launch.prepared'])(
    'at %s leaves nothing, and the name is free',
    async (point) => {
      await using bed = await TestBed.open();
      await crash(bed, create, point);
      expect((await bed.ok(['status', '--json'])).json.sessions).toEqual([]);
      const { session } = (await bed.ok(create)).json;
      expect(session.activity.state).toBe('idle');
      await expectUsable(bed);
      const { launches } = await expectSoundFleet(bed);
      expect(launches.map(({ id }) => id)).toEqual([session.launch]);
      expect(launchFolders(bed)).toEqual([session.launch]);
    },
  );

  it.each(['launch.spawned', 'launch.recorded', 'launch.up'])(
    'at %s leaves a session that the next command goes on with',
    async (point) => {
      await using bed = await TestBed.open();
      await crash(bed, create, point);
      await expectUsable(bed);
      const session = await bed.session('a1');
      expect(session).toMatchObject({ status: 'running', activity: { state: 'idle' } });
      // A command that does not have to wait for it leaves the record to the one after.
      await expectUsable(bed);
      expect(storedSession(bed, 'a1')).toMatchObject({
        agent_process: { pid: session.agent_pid },
        pane: { pid: session.pane.pid },
      });
      expect((await bed.mam(create)).code).toBe(4);
      await expectSoundFleet(bed);
      await bed.ok(['stop', 'a1']);
      expect((await expectSoundFleet(bed)).sessions[0]?.status).toBe('stopped');
    },
  );

  it.each(['stop', 'resume', 'create'])(
    'is settled by %s of another session as well',
    async (command) => {
      await using bed = await TestBed.open();
      await bed.create('other');
      await bed.ok(['send', 'other', 'hello', '--wait', 'answered']);
      if (command === 'resume') await bed.ok(['stop', 'other']);
      await crash(bed, create, 'launch.spawned');
      await crash(bed, ['create', 'a2', ...create.slice(2)], 'launch.prepared');
      const next = command === 'create' ? ['create', 'a3', ...create.slice(2)] : [command, 'other'];
      await bed.ok(next);
      const { sessions } = await expectSoundFleet(bed);
      const names = sessions.map(({ name }) => name).sort();
      expect(names).toEqual(command === 'create' ? ['a1', 'a3', 'other'] : ['a1', 'other']);
    },
  );

  it('does not leave its start file, which has the values of --env', async () => {
    await using bed = await TestBed.open();
    const env = { MY_KEY: 's3cr3t' };
    await crash(bed, [...create, '--env', 'MY_KEY'], 'launch.prepared', env);
    const [launch = ''] = launchFolders(bed);
    const start = join(bed.cwd, '.mam/run', launch, 'start');
    expect(readFileSync(start, 'utf8')).toContain('s3cr3t');
    expect(statSync(start).mode & 0o777).toBe(0o600);
    await bed.ok(['create', 'other', ...create.slice(2)]);
    expect(existsSync(start)).toBe(false);
    await expectSoundFleet(bed);
  });

  it('leaves a name and an end when its agent had ended before it was ready', async () => {
    await using bed = await TestBed.open();
    await crash(bed, [...create, '--', '--crash-on-start', '3'], 'failed.ended');
    const { json } = await bed.ok(['stop', 'a1', '--json']);
    expect(json.sessions[0]).toMatchObject({ status: 'terminated', ended: { exit_code: 3 } });
    await expectSoundFleet(bed);
    await bed.ok(['stop', 'a1', '--purge-conversation']);
    await bed.ok(create);
    await expectSoundFleet(bed);
  });

  it.each(['recover.taken', 'undo.disarmed', 'undo.ended'])(
    'is settled even when the one that recovers it is killed at %s',
    async (point) => {
      await using bed = await TestBed.open();
      await crash(bed, create, 'launch.prepared');
      await crash(bed, ['create', 'a2', ...create.slice(2)], point);
      await bed.ok(create);
      const { sessions } = await expectSoundFleet(bed);
      expect(sessions.map(({ name }) => name)).toEqual(['a1']);
    },
  );
});

describe('folders of launches', () => {
  it('that nothing stands for go after a day', async () => {
    await using bed = await TestBed.open();
    const run = join(bed.cwd, '.mam/run');
    const failed = await bed.mam([...create, '--', '--crash-on-start', '3']);
    expect(failed.code).toBe(5);
    const [kept = ''] = launchFolders(bed);
    const old = '01AAAAAAAAAAAAAAAAAAAAAAAA';
    mkdirSync(join(run, old));
    await bed.ok(['create', 'other', ...create.slice(2)]);
    expect(existsSync(join(run, old))).toBe(false);
    expect(launchFolders(bed)).toContain(kept);
  });
});

describe('an old folder that cannot be removed', () => {
  it('is a warning beside the session that was made', async () => {
    await using bed = new TestBed();
    bed.giveToUser();
    await bed.ok(['init'], { asUser: true });
    const old = join(bed.cwd, '.mam/run/01AAAAAAAAAAAAAAAAAAAAAAAA');
    mkdirSync(join(old, 'deep'), { recursive: true });
    bed.giveToUser();
    chmodSync(old, 0);
    const { json, stderr } = await bed.ok(create.concat('--json'), { asUser: true });
    expect(json.session.activity.state).toBe('idle');
    expect(stderr).toContain(old);
    await bed.ok(['stop', 'a1'], { asUser: true });
    chmodSync(old, 0o700);
  });
});

describe('a session of another machine', () => {
  it('is not stopped, resumed or spoken to from here', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { agent_pid } = await bed.session('a1');
    patchSession(bed, 'a1', { host: 'ffffffff' });
    for (const args of [['stop'], ['resume'], ['stop', '--purge-conversation']]) {
      const { code, json } = await bed.mam([...args, 'a1', '--json']);
      expect([code, json.failed[0].error.code]).toEqual([4, 'session.wrong-state']);
      expect(json.failed[0].error.message).toContain('ffffffff');
    }
    expect(await bed.session('a1')).toMatchObject({
      status: 'running',
      activity: { state: 'unknown', detail: 'remote' },
    });
    expect(isAlive(agent_pid)).toBe(true);
    expect(bed.truth()).toEqual([]);
  });
});

describe('a start whose tmux client is under way', () => {
  it.each([
    ['was undone meanwhile', undefined],
    ['is being undone, and that was killed', 'undo.disarmed'],
  ])('makes a pane that closes by itself when the launch %s', async (_, point) => {
    await using bed = await TestBed.open();
    const go = join(bed.root, 'go');
    const asked = join(bed.root, 'asked');
    const shim = makeTmuxShim(join(bed.root, 'shim'), {
      before: `case " $* " in *" new-session "*) : >${asked}; while [ ! -e ${go} ]; do sleep 0.02; done ;; esac`,
    });
    const PATH = `${shim.folder}:${bed.env.PATH}`;
    const child = bed.start(create, { env: { PATH } });
    const ended = finished(child);
    await until('the client was started', () => existsSync(asked));
    child.kill('SIGKILL');
    await ended;
    // Its client lives on. The next command finds no pane, and takes the launch back.
    if (point) await crash(bed, ['create', 'other', ...create.slice(2)], point);
    else await bed.create('other');
    const others = tmuxSessions(bed).length;
    writeFileSync(go, '');
    await until('the late client has ended', () => noShimRuns(bed, shim.program));
    await until('the late pane has closed', () => tmuxSessions(bed).length === others);
    if (point) await bed.create('other');
    const { sessions } = await expectSoundFleet(bed);
    expect(sessions.map(({ name }) => name)).toEqual(['other']);
  });

  it('is taken back whole when tmux made the session and said that it had not', async () => {
    await using bed = await TestBed.open();
    const shim = makeTmuxShim(join(bed.root, 'shim'), {
      before: `case " $* " in
        *" new-session "*) "$REAL" "$@" >/dev/null; echo "create session failed" >&2; exit 1 ;;
        *" list-sessions "*) [ -e ${bed.root}/looked ] || { : >${bed.root}/looked; echo "no server running" >&2; exit 1; } ;;
      esac`,
    });
    const PATH = `${shim.folder}:${bed.env.PATH}`;
    const failed = await bed.mam(create, { env: { PATH } });
    expect([failed.code, failed.json.error.code]).toEqual([1, 'tmux.failed']);
    await expectSoundFleet(bed);
    expect(launchFolders(bed)).toEqual([]);
    await bed.ok(create);
    await expectSoundFleet(bed);
  });

  it('starts one agent when two resumes of one session race', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'hello', '--wait', 'answered']);
    await bed.ok(['stop', 'a1']);
    const race = await Promise.all([1, 2, 3].map(() => bed.mam(['resume', 'a1', '--json'])));
    expect(race.filter(({ code }) => code === 0).length).toBe(1);
    expect(race.filter(({ code }) => ![0, 4, 9].includes(code ?? -1))).toEqual([]);
    await expectSoundFleet(bed);
    expect(tmuxSessions(bed).length).toBe(1);
    await expectUsable(bed);
  });
});

describe('a resume that is killed', () => {
  it.each(['resume.settled', 'resume.1', 'launch.reserved', 'launch.prepared'])(
    'at %s leaves the session as it was, to be resumed again',
    async (point) => {
      await using bed = await TestBed.open();
      const before = await stoppedSession(bed);
      await crash(bed, ['resume', 'a1'], point);
      expect(await bed.session('a1')).toEqual(before);
      await bed.ok(['resume', 'a1']);
      await expectOwnConversation(bed, before);
    },
  );

  it.each(['launch.spawned', 'launch.recorded', 'launch.up'])(
    'at %s leaves a session that runs on its own conversation',
    async (point) => {
      await using bed = await TestBed.open();
      const before = await stoppedSession(bed);
      await crash(bed, ['resume', 'a1'], point);
      expect((await bed.mam(['resume', 'a1'])).code).toBe(4);
      await expectOwnConversation(bed, before);
      await bed.ok(['stop', 'a1']);
      await expectSoundFleet(bed);
    },
  );

  it('at failed.ended leaves a session that stop settles', async () => {
    await using bed = await TestBed.open();
    const before = await stoppedSession(bed, ['--exit-on-resume', 'no']);
    await crash(bed, ['resume', 'a1'], 'failed.ended');
    await bed.ok(['stop', 'a1']);
    await expectSoundFleet(bed);
    expect(await bed.session('a1')).toMatchObject({
      status: 'stopped',
      conversation_id: before.conversation_id,
    });
  });

  it('at resume.settled after a dead agent has written down how it ended', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'the word is fig', '--wait', 'answered']);
    const before = await bed.session('a1');
    await bed.ok(['send', 'a1', '[[crash 7]]']);
    await until('it ended', async () => (await bed.session('a1')).activity.state === 'exited');
    await crash(bed, ['resume', 'a1'], 'resume.settled');
    expect(await bed.session('a1')).toMatchObject({
      status: 'terminated',
      resumable: true,
      ended: { exit_code: 7, by: 'user' },
    });
    expect(tmuxSessions(bed)).toEqual([]);
    await bed.ok(['resume', 'a1']);
    await expectOwnConversation(bed, before);
  });
});

describe('a stop that is killed', () => {
  it('at stop.1 leaves a session that still works', async () => {
    await using bed = await TestBed.open();
    const before = await spokenTo(bed);
    await crash(bed, ['stop', 'a1'], 'stop.1');
    await expectOwnConversation(bed, before);
    await expectStopped(bed);
  });

  it.each(['stop.2', 'stop.killed', 'stop.3', 'stop.4', 'stop.5'])(
    'at %s is finished by the next stop, and by a resume',
    async (point) => {
      await using bed = await TestBed.open();
      // Only between the last two stages does it matter what the agent leaves; that takes its time.
      const before = await spokenTo(bed, point === 'stop.3' ? ['--tree'] : []);
      await crash(bed, ['stop', 'a1'], point);
      await expectStopped(bed);
      await bed.ok(['resume', 'a1']);
      await expectOwnConversation(bed, before);

      await crash(bed, ['stop', 'a1'], point);
      const resumed = await bed.mam(['resume', 'a1', '--json']);
      // What the agent left may still run: then a stop comes first, and says so.
      if (resumed.code !== 0) {
        expect(resumed.json.failed[0].error.code).toBe('session.wrong-state');
        await expectStopped(bed);
        await bed.ok(['resume', 'a1']);
      }
      await expectOwnConversation(bed, before);
    },
  );

  it('at server.ended leaves a registry that knows no server is there', async () => {
    await using bed = await TestBed.open();
    const before = await spokenTo(bed);
    await crash(bed, ['stop', 'a1'], 'server.ended');
    expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('none');
    await bed.ok(['resume', 'a1']);
    await expectOwnConversation(bed, before);
  });

  it.each(['purge.removed', 'purge.recorded'])(
    'at %s is finished by the next purge',
    async (point) => {
      await using bed = await TestBed.open();
      await spokenTo(bed);
      await bed.create('other');
      await bed.ok(['send', 'other', 'mine', '--wait', 'answered']);
      await crash(bed, ['stop', 'a1', '--purge-conversation'], point);
      expect((await bed.mam(['resume', 'a1'])).code).toBe(3);
      await bed.ok(['stop', 'a1', '--purge-conversation']);
      expect(await bed.session('a1')).toMatchObject({ status: 'terminated', resumable: false });
      const files = readdirSync(join(bed.demoHome, 'conversations'));
      expect(files).toEqual([`${(await bed.session('other')).conversation_id}.jsonl`]);
      await bed.ok(create);
      await expectSoundFleet(bed);
    },
  );
});

/** Runs a command that kills itself at `point`, and has done so. */
async function crash(
  bed: TestBed,
  args: readonly string[],
  point: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { signal, stdout, stderr } = await bed.mam(args, { crashAt: point, env });
  expect(signal, `${point} was not reached: ${stdout}${stderr}`).toBe('SIGKILL');
  // Readable at once, whatever was under way.
  readFleet(bed);
}

async function spokenTo(bed: TestBed, agentArgs: readonly string[] = []) {
  await bed.create('a1', agentArgs);
  await bed.ok(['send', 'a1', 'the word is fig', '--wait', 'answered']);
  return bed.session('a1');
}

async function stoppedSession(bed: TestBed, agentArgs: readonly string[] = []) {
  await spokenTo(bed, agentArgs);
  await bed.ok(['stop', 'a1']);
  return bed.session('a1');
}

async function expectUsable(bed: TestBed): Promise<void> {
  const { stdout } = await bed.ok(['send', 'a1', 'ping', '--wait', 'answered']);
  expect(stdout).toBe('echo: ping\n');
}

async function expectOwnConversation(
  bed: TestBed,
  before: { readonly conversation_id: string },
): Promise<void> {
  const { stdout } = await bed.ok(['send', 'a1', 'recall', '--wait', 'answered']);
  expect(stdout).toContain('"the word is fig"');
  expect((await bed.session('a1')).conversation_id).toBe(before.conversation_id);
  await expectSoundFleet(bed);
}

async function expectStopped(bed: TestBed): Promise<void> {
  const { json } = await bed.ok(['stop', 'a1', '--json']);
  expect(json.sessions[0]).toMatchObject({ status: 'stopped', survivors: [] });
  const { sessions } = await expectSoundFleet(bed);
  expect(sessions.map(({ status }) => status)).toEqual(['stopped']);
  expect(tmuxSessions(bed)).toEqual([]);
}

function launchFolders(bed: TestBed): string[] {
  return readdirSync(join(bed.cwd, '.mam/run')).filter((name) => name.length === 26);
}

function tmuxSessions(bed: TestBed): string[] {
  const { stdout } = bed.tmux('list-sessions', '-F', '#{session_name}');
  return stdout.split('\n').filter((line) => line !== '');
}

function noShimRuns(bed: TestBed, program: string): boolean {
  return bed.processes().every(({ command }) => !command.includes(program));
}
