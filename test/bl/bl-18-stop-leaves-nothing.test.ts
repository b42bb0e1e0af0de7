import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { patchSession } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

/** What the demo agent's `--tree` starts: a plain child, a deaf one in its own session, an adopted one. */
interface Tree {
  readonly agent: number;
  readonly child: number;
  readonly grandchild: number;
  readonly orphan: number;
}

/** Root without the right to signal others stands where an ordinary user stands. */
const weak = ['setpriv', '--bounding-set', '-kill', '--inh-caps', '-kill'];

describe('BL-18 stopping leaves processes behind', () => {
  it('ends all four, the gentle way first, and proves it', async () => {
    await using bed = await TestBed.open();
    // The same program, started elsewhere.
    const bystander = spawn('sleep', ['3600'], { env: bed.env, stdio: 'ignore' });
    const tree = await createTree(bed, 't1');
    const { stdout } = await bed.ok(['stop', 't1']);
    expect(stdout).toContain('all of its processes are gone');
    expect(alive(tree)).toEqual([]);
    expect(isAlive(bystander.pid ?? 0)).toBe(true);
    expect(bed.truth().at(-1)?.text).toBe('/exit');
    const stopped = await bed.session('t1');
    expect(stopped).toMatchObject({ status: 'stopped', ended: { exit_code: 0, by: 'user' } });
    expect(bed.tmux('list-sessions').code).not.toBe(0);
  });

  it('asks a working agent with TERM, not by typing', async () => {
    await using bed = await TestBed.open();
    const tree = await createTree(bed, 't1');
    await bed.ok(['send', 't1', '[[spin]]']);
    const { json } = await bed.ok(['stop', 't1', '--json']);
    expect(json.sessions[0]).toMatchObject({
      ended: { exit_code: 143 },
      was_running: true,
      proof: 'subreaper',
      survivors: [],
    });
    expect(alive(tree)).toEqual([]);
    expect(bed.truth().map(({ text }) => text)).toEqual(['[[spin]]']);
  });

  it('does the same when the agent was killed from outside first, and no resume comes before', async () => {
    await using bed = await TestBed.open();
    const tree = await createTree(bed, 't1');
    await bed.ok(['send', 't1', 'remember me', '--wait', 'answered']);
    process.kill(tree.agent, 'SIGKILL');
    const ended = await until('it is seen', async () => {
      const seen = await bed.session('t1');
      return seen.activity.state === 'exited' ? seen : undefined;
    });
    expect(ended.status).toBe('running');
    expect(alive(tree).length).toBe(3);

    const refused = await bed.mam(['resume', 't1', '--json']);
    expect(refused.code).toBe(4);
    const [{ error }] = refused.json.failed;
    expect(error.code).toBe('session.wrong-state');
    expect(error.hint).toContain('mam stop t1');
    expect(error.details.pids).toEqual(expect.arrayContaining([tree.grandchild]));
    expect(alive(tree).length).toBe(3);

    const { json } = await bed.ok(['stop', 't1', '--json']);
    expect(json.sessions[0]).toMatchObject({ was_running: false, survivors: [] });
    expect(alive(tree)).toEqual([]);
    await bed.ok(['resume', 't1']);
    const recalled = await bed.ok(['send', 't1', 'recall', '--wait', 'answered']);
    expect(recalled.stdout).toContain('remember me');
  });

  it('ends what a session that counts as ended has left', async () => {
    await using bed = await TestBed.open();
    const tree = await createTree(bed, 't1');
    process.kill(tree.agent, 'SIGKILL');
    await until('it is seen', async () => (await bed.session('t1')).activity.state === 'exited');
    patchSession(bed, 't1', { status: 'terminated' });
    expect((await bed.mam(['resume', 't1'])).code).toBe(4);
    const { json } = await bed.ok(['stop', 't1', '--json']);
    expect(json.sessions[0]).toMatchObject({ was_running: false, ended_by: 'signal' });
    expect(alive(tree)).toEqual([]);
  });

  it('claims less when the recorder is dead, and still finds them', async () => {
    await using bed = await TestBed.open();
    const tree = await createTree(bed, 't1');
    const { launch } = await bed.session('t1');
    const inner = readFileSync(join(bed.cwd, '.mam/run', launch, 'inner'), 'utf8');
    process.kill(Number(inner.split(' ')[0]), 'SIGKILL');
    const stopped = await bed.ok(['stop', 't1', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ proof: 'trace', survivors: [] });
    expect(alive(tree)).toEqual([]);
  });

  it('takes an agent that left a program in its terminal for ended', async () => {
    await using bed = await TestBed.open();
    await bed.create('t1', ['--leave-shell']);
    const { agent_pid } = await bed.session('t1');
    await bed.ok(['send', 't1', '/exit']);
    const { left } = await until('it has left something', () => readTree(bed, agent_pid));
    const seen = await until('it is seen', async () => {
      const session = await bed.session('t1');
      return session.activity.state === 'exited' ? session : undefined;
    });
    expect(seen.activity.detail).toBe('status 0');
    expect(isAlive(left)).toBe(true);
    expect((await bed.mam(['send', 't1', 'to a shell?'])).code).toBe(4);
    expect((await bed.mam(['resume', 't1'])).code).toBe(4);
    await bed.ok(['stop', 't1']);
    expect(isAlive(left)).toBe(false);
  });

  it('lists a process that takes no signal from us, and is not done until it is gone', async () => {
    await using bed = await TestBed.open();
    const PATH = `${otherUsersSleep(bed)}:${bed.env.PATH}`;
    const create = ['create', 't1', '--agent', 'demo', '--role', 'creator', '--', '--tree'];
    await bed.ok(create, { env: { PATH } });
    const { agent_pid } = await bed.session('t1');
    const tree = await until('the tree is there', () => readTree(bed, agent_pid));
    const deaf = tree.grandchild;
    await until('it is another user', () => uidOf(deaf) === 65_534);

    const failed = await bed.mam(['stop', 't1', '--json'], { wrap: weak });
    expect(failed.code).toBe(11);
    const [report] = failed.json.sessions;
    expect(report.survivors.map(({ pid }) => pid)).toEqual([deaf]);
    expect(report.survivors[0]?.cmd).toContain('sleep 3600');
    expect(report).toMatchObject({ status: 'running', was_running: true });
    expect((await bed.mam(['resume', 't1'])).code).toBe(4);
    const text = await bed.mam(['stop', 't1'], { wrap: weak });
    expect(text.code).toBe(11);
    expect(text.stdout).toContain(`still alive: ${deaf} /bin/sleep 3600`);

    await bed.ok(['stop', 't1']);
    expect(isAlive(deaf)).toBe(false);
    expect((await bed.session('t1')).status).toBe('stopped');
  });

  it('gives the name of a start that failed away only when nothing of it is left', async () => {
    await using bed = await TestBed.open();
    const PATH = `${otherUsersSleep(bed)}:${bed.env.PATH}`;
    const create = ['create', 't1', '--agent', 'demo', '--role', 'creator', '--json'];
    const failing = [...create, '--timeout', '3', '--', '--tree', '--never-ready'];
    const failed = await bed.mam(failing, { env: { PATH }, wrap: weak });
    expect(failed.json.error.code).toBe('agent.not-ready');
    const [deaf = 0] = failed.json.error.details.survivors as readonly number[];
    expect(uidOf(deaf)).toBe(65_534);
    expect((await bed.session('t1')).status).toBe('terminated');

    for (const again of [create, failing]) {
      const refused = await bed.mam(again, { wrap: weak });
      expect([refused.code, refused.json.error.code]).toEqual([4, 'name.taken']);
      expect(refused.json.error.message).toContain(String(deaf));
      expect(refused.json.error.hint).toContain('mam stop t1');
    }
    expect((await bed.mam(['stop', 't1'], { wrap: weak })).code).toBe(11);
    expect(isAlive(deaf)).toBe(true);
    await bed.ok(['stop', 't1']);
    expect(isAlive(deaf)).toBe(false);
    await bed.ok(create);
  });

  it('keeps the name of a start that was killed until what it left can be ended', async () => {
    await using bed = await TestBed.open();
    const PATH = `${otherUsersSleep(bed)}:${bed.env.PATH}`;
    const create = ['create', 't1', '--agent', 'demo', '--role', 'creator', '--json'];
    await bed.mam([...create, '--', '--tree'], { env: { PATH }, crashAt: 'launch.spawned' });
    const file = await until('the tree is there', () =>
      readdirSync(bed.root, { recursive: true, encoding: 'utf8' }).find((name) =>
        /tree-\d+\.json$/.test(name),
      ),
    );
    const tree: Tree = JSON.parse(readFileSync(join(bed.root, file), 'utf8'));
    await until('it is another user', () => uidOf(tree.grandchild) === 65_534);
    // Without its pane the start can only be taken back.
    bed.tmux('kill-server');
    await until('its agent ended', () => !isAlive(tree.agent));

    const refused = await bed.mam(create, { wrap: weak });
    expect([refused.code, refused.json.error.code]).toEqual([4, 'name.taken']);
    expect(refused.stderr).toContain(String(tree.grandchild));
    await bed.ok(create);
    expect(isAlive(tree.grandchild)).toBe(false);
  });

  it('leaves the tmux server that was first started from inside an agent', async () => {
    await using bed = await TestBed.open();
    const other = join(bed.root, 'other');
    mkdirSync(other);
    await bed.ok(['init'], { cwd: other });
    await bed.create('outer');
    const { launch } = await bed.session('outer');
    // As a shell command of the agent would start it: with the marker of its launch.
    const env = { MAM_LAUNCH: launch, MAM_WORKSPACE: other };
    await bed.ok(['create', 'inner', '--agent', 'demo', '--role', 'creator'], { env, cwd: other });
    const { json } = await bed.ok(['stop', 'outer', '--json']);
    expect(json.sessions[0].survivors).toEqual([]);
    const inner = await bed.ok(['status', 'inner', '--json'], { cwd: other });
    expect(inner.json.sessions[0].activity.state).toBe('idle');
  });
});

async function createTree(bed: TestBed, name: string): Promise<Tree> {
  await bed.create(name, ['--tree']);
  const { agent_pid } = await bed.session(name);
  const tree = await until('the tree is there', () => readTree(bed, agent_pid));
  expect(alive(tree)).toEqual(Object.values(tree));
  return tree;
}

function readTree(bed: TestBed, agentPid: number): (Tree & { readonly left: number }) | undefined {
  const name = `tree-${agentPid}.json`;
  if (!readdirSync(bed.demoHome).includes(name)) return undefined;
  return JSON.parse(readFileSync(join(bed.demoHome, name), 'utf8'));
}

function alive(tree: Tree): number[] {
  return Object.values(tree).filter(isAlive);
}

/** A `sleep` for the agent's PATH that runs as another user. */
function otherUsersSleep(bed: TestBed): string {
  const folder = join(bed.root, 'bin');
  mkdirSync(folder);
  const script = '#!/bin/sh\nexec setpriv --reuid 65534 --clear-groups /bin/sleep "$@"\n';
  writeFileSync(join(folder, 'sleep'), script);
  chmodSync(join(folder, 'sleep'), 0o755);
  return folder;
}

function uidOf(pid: number): number {
  try {
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return -1;
  }
}
