import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const create = (name: string) => ['create', name, '--agent', 'demo', '--role', 'creator', '--json'];
const rootOf = async (bed: TestBed, options: Parameters<TestBed['mam']>[1], ...args: string[]) =>
  (await bed.ok(['status', '--json', ...args], options)).json.workspace;

describe('which workspace', () => {
  it('is --workspace, else MAM_WORKSPACE, else the nearest .mam above, else the user’s own', async () => {
    await using bed = await TestBed.open();
    const deep = join(bed.cwd, 'a', 'b');
    const other = join(bed.root, 'other');
    for (const folder of [deep, other]) mkdirSync(folder, { recursive: true });
    await bed.ok(['init', other]);
    expect(await rootOf(bed, { cwd: deep })).toBe(bed.cwd);
    const env = { MAM_WORKSPACE: other };
    expect(await rootOf(bed, { cwd: deep, env })).toBe(other);
    expect(await rootOf(bed, { cwd: deep, env }, '--workspace', bed.cwd)).toBe(bed.cwd);
    expect(await rootOf(bed, { cwd: deep, env }, '--workspace', join(bed.cwd, '.mam'))).toBe(
      bed.cwd,
    );
    const outside = join(bed.root, 'outside');
    mkdirSync(outside);
    await bed.ok(create('global'), { cwd: outside });
    expect(existsSync(join(bed.home, '.mam', 'agent-sessions.db'))).toBe(true);
    expect(await rootOf(bed, { cwd: outside })).toBe(bed.home);
  });

  it('is none outside of any, although mam has noted something of its user', async () => {
    await using bed = await TestBed.open();
    expect(existsSync(join(bed.home, '.mam/trust'))).toBe(true);
    const { code, stderr } = await bed.mam(['status'], { cwd: bed.root });
    expect([code, stderr]).toEqual([5, expect.stringContaining('none of your own yet')]);
    await bed.ok(create('a'), { cwd: bed.root });
    await bed.ok(['stop', 'a'], { cwd: bed.root });
  });

  it('takes MAM_HOME for the user’s own folder', async () => {
    await using bed = new TestBed();
    const MAM_HOME = join(bed.root, 'mam-home');
    await bed.ok(create('api'), { env: { MAM_HOME } });
    expect(readdirSync(MAM_HOME)).toContain('agent-sessions.db');
    expect(existsSync(join(bed.home, '.mam'))).toBe(false);
  });

  it('is made once: init again changes nothing', async () => {
    await using bed = await TestBed.open();
    const config = join(bed.cwd, '.mam', 'config.yaml');
    appendFileSync(config, '# mine\n');
    const ids = [
      (await bed.ok(['init', '--json'])).json.id,
      (await bed.ok(['init', '--json'])).json.id,
    ];
    expect(new Set(ids).size).toBe(1);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(config, 'utf8')).toMatch(/# mine\n$/);
  });
});

describe('a workspace that is not ours', () => {
  it('from a clone belongs to nobody: readers say so, commands refuse and name mam init', async () => {
    await using bed = await TestBed.open();
    rmSync(join(bed.cwd, '.mam', 'workspace.json'));
    for (const args of [['status'], create('api')]) {
      const result = await bed.mam([...args, ...(args.includes('--json') ? [] : ['--json'])]);
      expect([result.code, result.json.error.code]).toEqual([5, 'workspace.untrusted']);
      expect(result.json.error.hint).toContain('mam init');
    }
    await bed.ok(['init']);
    await bed.ok(create('api'));
  });

  it('that was copied is told from the original, and starts without its sessions', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['stop', 'api']);
    const copy = join(bed.root, 'copy');
    execFileSync('cp', ['-a', bed.cwd, copy]);
    const refused = await bed.mam(create('x'), { cwd: copy });
    expect([refused.code, refused.json.error.code]).toEqual([5, 'workspace.untrusted']);
    expect(refused.json.error.message).toContain('copy of');
    const made = await bed.ok(['init', '--json'], { cwd: copy });
    expect(made.json.id).not.toBe((await bed.ok(['init', '--json'])).json.id);
    expect((await bed.ok(['status', '--json'], { cwd: copy })).json.sessions).toEqual([]);
    expect((await bed.ok(['status', '--json'])).json.sessions).toHaveLength(1);
  });

  it('that was moved keeps its id and its sessions', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['stop', 'api']);
    const there = join(bed.root, 'there');
    renameSync(bed.cwd, there);
    const { json } = await bed.ok(['status', '--json'], { cwd: there });
    expect(json.sessions).toHaveLength(1);
    mkdirSync(bed.cwd);
  });

  it('that was moved while its agents run still reaches them', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['send', 'api', 'the word is fig', '--wait', 'answered']);
    const { agent_pid } = await bed.session('api');
    const there = join(bed.root, 'there');
    renameSync(bed.cwd, there);
    const options = { cwd: there };
    const seen = (await bed.ok(['status', '--json'], options)).json;
    expect(seen.tmux).toMatchObject({ server: 'up', socket: expect.stringContaining(there) });
    expect(seen.sessions[0]).toMatchObject({ agent_pid, activity: { state: 'idle' } });
    const stopped = await bed.ok(['stop', 'api', '--json'], options);
    expect(stopped.json.sessions[0]).toMatchObject({ was_running: true, survivors: [] });
    expect((await bed.ok(['status', '--json'], options)).json.tmux.server).toBe('none');
    mkdirSync(bed.cwd);
    await bed.ok(['resume', 'api'], options);
    const sent = await bed.ok(['send', 'api', 'recall', '--wait', 'answered'], options);
    expect(sent.stdout).toContain('the word is fig');
  });

  it('from elsewhere names no program and no mode of permissions until init makes it ours', async () => {
    await using bed = await TestBed.open();
    const ran = join(bed.root, 'ran');
    const program = join(bed.root, 'tmux-of-theirs');
    writeFileSync(program, `#!/bin/sh\n: > '${ran}'\nexec tmux "$@"\n`, { mode: 0o755 });
    const settings = `create:\n  permissions: skip\ntmux:\n  path: ${JSON.stringify(program)}\n`;
    writeFileSync(join(bed.cwd, '.mam', 'config.yaml'), settings);
    rmSync(join(bed.home, '.mam', 'trust'), { recursive: true });

    const made = await bed.ok(create('api'));
    expect(made.stderr).toContain('create.permissions, tmux.path not used');
    expect(made.stderr).toContain(`mam init ${bed.cwd}`);
    expect(made.json.session.permissions).toBe('ask');
    expect((await bed.ok(['status'])).stderr).toContain('not used');
    expect(existsSync(ran)).toBe(false);

    const taken = await bed.ok(['init']);
    expect(taken.stderr).toContain('create.permissions, tmux.path: used from now on');
    const after = await bed.ok(['status']);
    expect(after.stderr).toBe('');
    expect(existsSync(ran)).toBe(true);
  });

  it('of another user is not used', async () => {
    await using bed = await TestBed.open();
    if (process.getuid?.() === 0) chownSync(join(bed.cwd, '.mam'), 1000, 1000);
    else bed.env.MAM_WORKSPACE = '/proc/1/root';
    const result = await bed.mam(create('api'));
    expect([result.code, result.json.error.code]).toEqual([
      5,
      expect.stringMatching(/^workspace\./),
    ]);
    if (process.getuid?.() === 0) chownSync(join(bed.cwd, '.mam'), 0, 0);
  });

  it('never answers an agent’s trust question for it', async () => {
    await using bed = new TestBed();
    // The user's own workspace is made without init: it is not a place the user vouched for.
    const result = await bed.mam([...create('api'), '--', '--dialog', 'trust']);
    expect(result.code).toBe(5);
    expect((await bed.session('api')).activity).toMatchObject({
      state: 'awaiting-approval',
      detail: 'trust',
    });
  });
});
