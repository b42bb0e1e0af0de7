import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { databasePath, patchSession } from '../support/registry-sql.ts';
import { bundleFolder, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';
import { userTmux } from '../support/user-tmux.ts';

interface FindingSeen {
  readonly drift: string;
  readonly session: string | null;
  readonly action: string;
  readonly outcome: string | null;
  readonly evidence: readonly string[];
}

async function once(bed: TestBed, ...args: readonly string[]): Promise<readonly FindingSeen[]> {
  const { stdout } = await bed.ok(['monitor', 'once', ...args, '--json']);
  return JSON.parse(stdout).findings;
}

const brief = (findings: readonly FindingSeen[]) =>
  findings.map(({ drift, session, action, outcome }) => [drift, session, action, outcome]);

describe('mam monitor once', () => {
  it('finds nothing where registry and tmux agree, and changes nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const before = await bed.session('a1');
    expect(await once(bed)).toEqual([]);
    expect(await bed.session('a1')).toEqual(before);
    expect((await bed.ok(['monitor', 'once'])).stdout).toBe('Registry and tmux agree.\n');
  });

  it('marks what ended, by how it ended: A', async () => {
    await using bed = await TestBed.open();
    for (const name of ['crashed', 'killed', 'left']) await bed.create(name);
    await bed.ok(['send', 'crashed', 'remember me', '--wait', 'answered']);
    await bed.ok(['send', 'crashed', '[[crash 3]]']);
    process.kill((await bed.session('killed')).agent_pid, 'SIGKILL');
    bed.tmux('send-keys', '-t', '=demo-creator-left:', '/exit', 'Enter');
    await until('all of them ended', async () => {
      const { json } = await bed.ok(['status', '--json']);
      return json.sessions.every(
        ({ activity }) => activity.state === 'exited' || activity.state === 'lost',
      );
    });
    const planned = await once(bed, '--dry-run');
    expect(planned.map(({ outcome }) => outcome)).toEqual([null, null, null]);
    expect((await bed.session('crashed')).status).toBe('running');

    expect(brief(await once(bed))).toEqual([
      ['A', 'crashed', 'mark-terminated', 'done'],
      ['A', 'killed', 'mark-terminated', 'done'],
      ['A', 'left', 'mark-stopped', 'done'],
    ]);
    expect(await bed.session('crashed')).toMatchObject({
      status: 'terminated',
      resumable: true,
      ended: { by: 'monitor', exit_code: 3 },
      last_visible_status_at_termination: expect.stringContaining('remember me'),
    });
    expect(await bed.session('left')).toMatchObject({ status: 'stopped', ended: { exit_code: 0 } });
    expect(await once(bed)).toEqual([]);
    await bed.ok(['resume', 'crashed']);
    const { stdout } = await bed.ok(['send', 'crashed', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('remember me');
  });

  it('adopts what it recognises on our server, with its processes, and only that: B', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    userTmux(bed, 'new-session', '-d', '-s', 'demo-creator-work', 'sleep 600');
    const demo = join(bundleFolder('shipped'), 'demo-agent.js');
    const start = (name: string, ...command: readonly string[]) =>
      bed.tmux('new-session', '-d', '-c', bed.cwd, '-s', name, '-x', '140', '-y', '40', ...command);
    start('demo-creator-found', process.execPath, demo, '--no-hooks');
    start('mine', 'sleep', '600');
    const found = await once(bed);
    expect(brief(found)).toEqual([
      ['B', 'found', 'adopt', 'done'],
      ['B', 'mine', 'none', 'nothing'],
    ]);
    const adopted = await bed.session('found');
    expect(adopted).toMatchObject({
      agent: 'demo',
      role: 'creator',
      status: 'running',
      cwd: bed.cwd,
    });
    expect(isAlive(adopted.agent_pid)).toBe(true);
    await bed.ok(['status', 'found', '--wait', 'idle']);
    // Without hooks, and without knowing its conversation, nothing can prove a submission: it is said.
    const sent = await bed.mam(['send', 'found', 'hello', '--json']);
    expect([sent.code, sent.json.delivery.state]).toEqual([6, 'unknown']);
    expect((await bed.ok(['capture', 'found'])).stdout).toContain('echo: hello');
    expect(brief(await once(bed))).toEqual([['B', 'mine', 'none', 'nothing']]);
    const stopped = await bed.ok(['stop', 'found', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ was_running: true, survivors: [] });
    expect(userTmux(bed, 'list-sessions', '-F', '#{session_name}').stdout).toBe(
      'demo-creator-work\n',
    );
    userTmux(bed, 'kill-server');
    bed.tmux('kill-session', '-t', '=mine');
  });

  it('takes back sessions of a lost registry by their tags', async () => {
    await using bed = await TestBed.open();
    await bed.ok(['create', '日本-2.x', '--agent', 'demo', '--role', 'reviewer']);
    const before = await bed.session('日本-2.x');
    for (const file of ['', '-wal', '-shm']) rmSync(`${databasePath(bed)}${file}`, { force: true });
    for (const file of [
      'agent-sessions.yaml',
      'agent-sessions.yaml.bak',
      'run/3d1219c7/face-stamp',
    ]) {
      rmSync(join(bed.cwd, '.mam', file), { force: true });
    }
    expect(brief(await once(bed))).toEqual([['B', '日本-2.x', 'adopt', 'done']]);
    const { id, launch, agent_pid, role } = before;
    expect(await bed.session('日本-2.x')).toMatchObject({ id, launch, agent_pid, role });
    await bed.ok(['send', '日本-2.x', 'hello', '--wait', 'answered']);
  });

  it('follows a conversation that changed, and reports one that is missing: C and D', async () => {
    await using bed = await TestBed.open();
    for (const name of ['moved', 'bare']) await bed.create(name);
    await bed.ok(['send', 'bare', 'hello', '--wait', 'answered']);
    await bed.ok(['send', 'moved', '/clear']);
    await bed.ok(['send', 'moved', 'hello', '--wait', 'answered']);
    const { conversation_id: now } = await bed.session('moved');
    patchSession(bed, 'moved', { conversation_id: '11111111-2222-4333-8444-555555555555' });
    patchSession(bed, 'bare', { conversation_id: '22222222-2222-4333-8444-555555555555' });
    const found = await once(bed);
    expect(brief(found)).toContainEqual(['C', 'moved', 'record-conversation', 'done']);
    expect((await bed.session('moved')).conversation_id).toBe(now);
  });

  it('reports processes that an ended session left, and ends them only with --reap', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--tree']);
    const { agent_pid } = await bed.session('a1');
    await bed.ok(['send', 'a1', '[[child]]']);
    process.kill(agent_pid, 'SIGKILL');
    await until('it is marked', async () => {
      await once(bed);
      return (await bed.session('a1')).status === 'terminated';
    });
    const found = await once(bed);
    const orphans = found.find(({ drift }) => drift === 'orphans');
    expect(orphans).toMatchObject({ session: 'a1', action: 'reap', outcome: null });
    const pids = (orphans?.evidence ?? []).map((line) => Number(/\d+/.exec(line)?.[0]));
    expect(pids.filter(isAlive).length).toBeGreaterThan(0);
    expect(brief(await once(bed, '--reap'))).toContainEqual(['orphans', 'a1', 'reap', 'done']);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('makes one finding of a server that is gone, and marks nobody', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b', 'c']) await bed.create(name);
    bed.tmux('kill-server');
    expect(brief(await once(bed))).toEqual([['server-gone', null, 'none', 'nothing']]);
    const { json } = await bed.ok(['status', '--json']);
    expect(json.sessions.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
    await bed.ok(['resume', '--all']);
    expect(existsSync(bed.socket)).toBe(true);
  });

  it('knows no other verb yet', async () => {
    await using bed = await TestBed.open();
    const { code, json } = await bed.mam(['monitor', 'twice', '--json']);
    expect([code, json.error.code]).toEqual([2, 'usage.invalid']);
  });
});
