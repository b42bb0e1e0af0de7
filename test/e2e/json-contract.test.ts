import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorExitCodes } from '../../src/domain/errors.ts';
import { bundleFolder, TestBed } from '../support/test-bed.ts';

const SESSION_FIELDS = [
  ...[
    'id',
    'name',
    'tmux_session',
    'agent',
    'role',
    'status',
    'activity',
    'conversation_id',
    'resumable',
  ],
  ...[
    'cwd',
    'workspace_root',
    'permissions',
    'launch',
    'gate',
    'tmux',
    'agent_pid',
    'agent_started',
  ],
  ...['pane', 'created_at', 'stopped_at', 'ended', 'parent', 'depth'],
];

/** Exactly one document, with the version, on one line. */
function documentOf(stdout: string) {
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd()).not.toContain('\n');
  const json = JSON.parse(stdout);
  expect(json.v).toBe(1);
  return json;
}

describe('--json', () => {
  it('is one document for each command, with the fields of docs/cli.md', async () => {
    await using bed = await TestBed.open();
    const run = async (...args: string[]) => documentOf((await bed.ok([...args, '--json'])).stdout);

    expect(await run('init')).toMatchObject({
      workspace: bed.cwd,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const created = await run(
      'create',
      'api',
      '--agent',
      'demo',
      '--role',
      'creator',
      '--prompt',
      'hello',
    );
    expect(Object.keys(created.session)).toEqual(expect.arrayContaining(SESSION_FIELDS));
    expect(created.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'hook' } });
    expect(created.session).toMatchObject({
      ...{
        name: 'api',
        tmux_session: 'demo-creator-api',
        agent: 'demo',
        role: 'creator',
        status: 'running',
      },
      ...{
        cwd: bed.cwd,
        permissions: 'ask',
        gate: 'none',
        parent: null,
        depth: 0,
        stopped_at: null,
        ended: null,
      },
      agent_pid: expect.any(Number),
      pane: { index: 0, pid: expect.any(Number), children: expect.any(Array) },
    });

    const status = await run('status');
    expect(Object.keys(status)).toEqual([
      ...['v', 'workspace', 'registry', 'tmux', 'monitor', 'pending_events', 'sessions'],
    ]);
    expect(status.registry).toEqual({ mode: 'wal', degraded: false, yaml_edited: false });
    expect(status.tmux).toEqual({ socket: bed.socket, server: 'up' });
    expect(status.sessions[0].activity).toMatchObject({
      state: 'idle',
      source: 'hook',
      confidence: 'high',
    });

    const sent = await run('send', 'api', 'again', '--id', 'my-key', '--wait', 'answered');
    expect(sent.delivery).toMatchObject({ id: 'my-key', state: 'answered', answer: 'echo: again' });
    expect(await run('capture', 'api')).toMatchObject({
      cols: 140,
      rows: 40,
      mode: null,
      screen: expect.stringContaining('again'),
    });

    const stopped = await run('stop', 'api');
    expect(stopped.sessions[0]).toMatchObject({
      ...{
        name: 'api',
        status: 'stopped',
        ended_by: 'exit',
        proof: 'subreaper',
        survivors: [],
        left: [],
      },
      ended: { by: 'user', exit_code: 0, at: expect.any(String), reason: expect.any(String) },
    });
    expect(stopped.sessions[0].last_visible_status_at_termination).toContain('again');

    const resumed = await run('resume', 'api');
    expect(resumed).toMatchObject({ sessions: [{ name: 'api', status: 'running' }], failed: [] });
    expect(await run('doctor')).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ id: 'tmux', ok: true, needed: null, fix: null }),
      ]),
    });
    expect(await run('help', 'send')).toMatchObject({
      command: 'send',
      help: expect.stringContaining('--again'),
    });
    expect((await run('help', 'config')).settings).toHaveLength(15);
  });

  it.each([
    ['--help', '--json'],
    ['--json', '-h'],
    ['help', '--json'],
    ['--json', 'help'],
  ])('is one document for the overview: %s %s', async (...args) => {
    await using bed = new TestBed();
    const json = documentOf((await bed.ok(args)).stdout);
    expect(Object.keys(json)).toEqual(['v', 'version', 'commands', 'help']);
    expect(json.commands).toContainEqual({
      name: 'send',
      summary: 'Deliver a prompt with proof, at most once',
    });
    expect(`${json.help}`).toBe((await bed.ok(['--help'])).stdout);
    const none = await bed.mam(['--json']);
    expect([none.code, documentOf(none.stdout).error.code]).toEqual([2, 'usage.invalid']);
  });

  it('says errors in the same form, with the exit code of their kind', async () => {
    await using bed = await TestBed.open();
    for (const args of [
      ['status', 'ghost'],
      ['create', 'a b', '--agent', 'demo', '--role', 'r'],
      ['send', 'x'],
      ['nonsense'],
    ]) {
      const result = await bed.mam([...args, '--json']);
      const { error } = documentOf(result.stdout);
      expect(Object.keys(error)).toEqual(['code', 'message', 'hint', 'details']);
      expect(result.code).toBe(errorExitCodes[error.code as keyof typeof errorExitCodes]);
    }
  });

  it('keeps warnings and notes on standard error', async () => {
    await using bed = await TestBed.open();
    const result = await bed.mam(['resume', 'ghost', '--json']);
    expect(documentOf(result.stdout)).toMatchObject({
      sessions: [],
      failed: [{ name: 'ghost', error: { code: 'session.unknown' } }],
    });
    expect(result.code).toBe(3);
  });
});

describe('without a terminal', () => {
  it('colours nothing, and prompts for nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    for (const args of [
      ['status'],
      ['capture', 'api'],
      ['doctor'],
      ['help', 'create'],
      ['--help'],
    ]) {
      const { stdout, stderr } = await bed.mam(args);
      expect(stdout + stderr).not.toContain('\x1b');
    }
  });

  it('ends quietly when the pipe is closed', async () => {
    await using bed = await TestBed.open();
    const mam = join(bundleFolder('shipped'), 'mam.js');
    for (const args of ['status', 'status --help', 'help create', '--help', 'doctor']) {
      const script = `"$1" "$2" ${args} | true`;
      const { stderr } = spawnSync(
        'bash',
        ['-c', `set -o pipefail; ${script}`, 'sh', process.execPath, mam],
        {
          cwd: bed.cwd,
          env: bed.env,
          encoding: 'utf8',
        },
      );
      expect([args, stderr]).toEqual([args, '']);
    }
  });

  it('refuses to attach', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const result = await bed.mam(['attach', 'api']);
    expect([result.code, result.stdout]).toEqual([2, '']);
  });
});

describe('several names', () => {
  it('do not end each other, and the worst code counts', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.create('b');
    const result = await bed.mam(['stop', 'a', 'ghost', 'b', '--json']);
    expect(result.code).toBe(3);
    expect(
      result.json.sessions.map(({ name, status }: { name: string; status: string }) => [
        name,
        status,
      ]),
    ).toEqual([
      ['a', 'stopped'],
      ['b', 'stopped'],
    ]);
    expect(result.json.failed).toMatchObject([
      { name: 'ghost', error: { code: 'session.unknown' } },
    ]);
  });
});
