import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import {
  databasePath,
  loseRegistry,
  patchSession,
  putRegistryBack,
} from '../support/registry-sql.ts';
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
    // A name is no evidence, and neither is a word in a command line.
    start('demo-creator-shell', '/bin/sh');
    start('reads', 'tail', '-f', demo);
    const found = await once(bed);
    const others = ['mine', 'demo-creator-shell', 'reads'].map((name) => [
      'B',
      name,
      'none',
      'nothing',
    ]);
    expect(brief(found)).toHaveLength(4);
    expect(brief(found)).toEqual(
      expect.arrayContaining([['B', 'found', 'adopt', 'done'], ...others]),
    );
    const adopted = await bed.session('found');
    expect(adopted).toMatchObject({
      agent: 'demo',
      role: 'creator',
      status: 'running',
      cwd: bed.cwd,
    });
    expect(isAlive(adopted.agent_pid)).toBe(true);
    await bed.ok(['status', 'found', '--wait', 'idle']);
    // What a person said to it tells nobody which conversation is its own, and it is not made up.
    bed.tmux('send-keys', '-t', adopted.tmux.pane_id, '-l', 'by hand');
    bed.tmux('send-keys', '-t', adopted.tmux.pane_id, 'Enter');
    await until('it answered', () => bed.truth().some(({ text }) => text === 'by hand'));
    await bed.ok(['stop', 'found']);
    const back = await bed.mam(['resume', 'found', '--json']);
    expect([back.code, back.json.failed[0].error]).toMatchObject([
      3,
      { code: 'conversation.unknown', details: { candidates: [{ first_message: 'by hand' }] } },
    ]);
    const purged = await bed.mam(['stop', 'found', '--purge-conversation', '--json']);
    expect([purged.code, purged.json.sessions[0].purged.missing]).toEqual([
      3,
      [{ conversation_id: null, looked: [] }],
    ]);
    start('found', process.execPath, demo);
    expect(brief(await once(bed))).toHaveLength(4);
    await bed.ok(['status', 'found', '--wait', 'idle']);
    // Without hooks the prompt is what proves both: that it arrived, and which conversation it is on.
    const sent = await bed.ok(['send', 'found', 'hello', '--json']);
    expect(sent.json.delivery).toMatchObject({
      state: 'submitted',
      evidence: { source: 'transcript' },
    });
    expect(brief(await once(bed))).toHaveLength(3);
    const stopped = await bed.ok(['stop', 'found', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ was_running: true, survivors: [] });
    expect(userTmux(bed, 'list-sessions', '-F', '#{session_name}').stdout).toBe(
      'demo-creator-work\n',
    );
    userTmux(bed, 'kill-server');
    const resumed = await bed.ok(['resume', 'found', '--json']);
    expect(bed.truth(resumed.json.sessions[0].conversation_id).map(({ text }) => text)).toEqual([
      'hello',
      '/exit',
    ]);
    await bed.ok(['stop', 'found']);
    for (const name of ['mine', 'demo-creator-shell', 'reads'])
      bed.tmux('kill-session', '-t', `=${name}`);
  });

  it('takes back sessions of a lost registry by their tags', async () => {
    await using bed = await TestBed.open();
    await bed.ok(['create', '日本-2.x', '--agent', 'demo', '--role', 'reviewer']);
    const before = await bed.session('日本-2.x');
    loseRegistry(bed);
    expect(brief(await once(bed))).toEqual([['B', '日本-2.x', 'adopt', 'done']]);
    const { id, launch, agent_pid, role } = before;
    expect(await bed.session('日本-2.x')).toMatchObject({ id, launch, agent_pid, role });
    await bed.ok(['send', '日本-2.x', 'hello', '--wait', 'answered']);
  });

  it('does not bring back to life what ended before the registry was lost', async () => {
    await using bed = await TestBed.open();
    for (const name of ['dead', 'alive']) await bed.create(name);
    await bed.ok(['send', 'dead', '[[crash 3]]']);
    await until(
      'it has ended',
      async () => (await bed.session('dead')).activity.state === 'exited',
    );
    loseRegistry(bed);
    expect(
      brief(await once(bed))
        .map(([, name, action]) => [name, action])
        .sort(),
    ).toEqual([
      ['alive', 'adopt'],
      ['dead', 'adopt'],
    ]);
    expect(brief(await once(bed))).toEqual([['A', 'dead', 'mark-terminated', 'done']]);
    expect(await bed.session('dead')).toMatchObject({
      status: 'terminated',
      ended: { exit_code: 3 },
    });
    // The server is known again as well: when it goes, that is what is said.
    bed.tmux('kill-server');
    await until('its end is proven', async () => (await once(bed, '--dry-run')).length === 1);
    expect(brief(await once(bed))).toEqual([['server-gone', null, 'none', 'nothing']]);
  });

  it('ends the kept pane of what it marked when the session is stopped or purged', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['send', 'a', 'a secret', '--wait', 'answered']);
    await bed.ok(['send', 'a', '[[crash 3]]']);
    await until('it is marked', async () => {
      await once(bed);
      return (await bed.session('a')).status === 'terminated';
    });
    expect(bed.tmux('capture-pane', '-p', '-S', '-', '-t', '=demo-creator-a:').stdout).toContain(
      'secret',
    );
    const { json } = await bed.ok(['stop', 'a', '--purge-conversation', '--json']);
    expect(json.sessions[0].purged.missing).toEqual([]);
    expect(bed.tmux('list-sessions').stdout).toBe('');
  });

  it('adopts the first of two whose names are one to us, and goes on', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const demo = join(bundleFolder('shipped'), 'demo-agent.js');
    for (const name of ['Zed', 'zed']) {
      bed.tmux(
        'new-session',
        '-d',
        '-c',
        bed.cwd,
        '-s',
        name,
        process.execPath,
        demo,
        '--no-hooks',
      );
    }
    bed.tmux('set-option', '-t', '=zed:', '@mam_launch', '..');
    bed.tmux('set-option', '-t', '=zed:', '@mam_session', '3d1219c7');
    expect(brief(await once(bed))).toEqual([
      ['B', 'Zed', 'adopt', 'done'],
      ['B', 'zed', 'none', 'nothing'],
    ]);
    bed.tmux('set-option', '-u', '-t', '=zed:', '@mam_launch');
    expect(brief(await once(bed))).toEqual([['B', 'zed', 'none', 'nothing']]);
    bed.tmux('kill-session', '-t', '=zed');
    await bed.ok(['stop', '--all']);
  });

  it('touches nothing on another server that took the place of ours', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const { socket } = bed;
    const ours = Number(bed.tmux('display-message', '-p', '#{pid}').stdout);
    rmSync(socket);
    const demo = join(bundleFolder('shipped'), 'demo-agent.js');
    bed.tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'mine',
      process.execPath,
      demo,
      '--no-hooks',
    );
    expect(brief(await once(bed))).toEqual([['server-unreachable', null, 'none', 'nothing']]);
    const { code } = await bed.mam(['send', 'a', 'hello', '--timeout', '1']);
    expect(code).toBe(4);
    expect(bed.tmux('list-sessions', '-F', '#{session_name}').stdout).toBe('mine\n');
    bed.tmux('kill-server');
    process.kill(ours, 'SIGUSR1');
    await until('ours listens again', () => bed.tmux('list-sessions').code === 0);
    await bed.ok(['send', 'a', 'hello']);
    await bed.ok(['stop', 'a']);
  });

  it('marks nothing by a registry that is older than what runs', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const copy = join(bed.root, 'older');
    cpSync(databasePath(bed), copy);
    await bed.ok(['stop', 'a']);
    await bed.ok(['resume', 'a']);
    const { agent_pid } = await bed.session('a');
    putRegistryBack(bed, copy);
    expect(brief(await once(bed))).toEqual([['B', 'a', 'none', 'nothing']]);
    expect((await bed.session('a')).status).toBe('running');
    expect(isAlive(agent_pid)).toBe(true);
    bed.tmux('kill-server');
    process.kill(agent_pid, 'SIGKILL');
  });

  it('is not blinded by a view of a session, nor by what stands in an option', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b']) await bed.create(name);
    bed.tmux('new-session', '-d', '-s', 'view', '-t', 'demo-creator-a');
    bed.tmux('set-option', '-p', '-t', '=demo-creator-b:', '@mam_seq', 'x');
    expect((await once(bed)).filter(({ action }) => action !== 'none')).toEqual([]);
    expect((await bed.session('a')).activity.state).toBe('idle');
    await bed.ok(['send', 'a', 'hello']);
    bed.tmux('kill-session', '-t', '=view');
    await bed.ok(['stop', '--all']);
  });

  it('follows a conversation that changed, and reports one that is missing: C and D', async () => {
    await using bed = await TestBed.open();
    for (const name of ['moved', 'bare']) await bed.create(name);
    await bed.ok(['send', 'bare', 'hello', '--wait', 'answered']);
    await bed.ok(['send', 'moved', '/clear']);
    await bed.ok(['send', 'moved', 'hello', '--wait', 'answered']);
    const { conversation_id: now } = await bed.session('moved');
    patchSession(bed, 'moved', { conversation_id: '11111111-2222-4333-8444-555555555555' });
    const { conversation_id: bare } = await bed.session('bare');
    const store = join(bed.home, '.mam-demo');
    const files = readdirSync(store, { recursive: true, encoding: 'utf8' });
    for (const name of files.filter(
      (file) => file.endsWith(`${bare}.jsonl`) && !/truth/.test(file),
    )) {
      rmSync(join(store, name));
    }
    const found = await once(bed);
    expect(brief(found)).toEqual([
      ['C', 'moved', 'record-conversation', 'done'],
      ['D', 'bare', 'none', 'nothing'],
    ]);
    expect((await bed.session('moved')).conversation_id).toBe(now);
    expect((await bed.session('bare')).conversation_id).toBe(bare);
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
