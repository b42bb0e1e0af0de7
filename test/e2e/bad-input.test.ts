import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';

const base = ['--agent', 'demo', '--role', 'creator'];
const create = (name: string, ...more: string[]) => ['create', name, ...base, ...more];

/** Nothing came of it: no session, no launch folder, no tmux server. */
async function expectNothing(bed: TestBed): Promise<void> {
  const { json } = await bed.ok(['status', '--json']);
  expect(json.sessions).toEqual([]);
  const run = join(bed.cwd, '.mam', 'run');
  const launches = existsSync(run) ? readdirSync(run).filter((name) => name.length === 26) : [];
  expect(launches).toEqual([]);
  expect(json.tmux.server).toBe('none');
}

/** One clear line and at most one next step: no stack. */
function expectClear(stderr: string): void {
  const lines = stderr.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(stderr).toMatch(/^mam: /);
  expect(stderr).not.toMatch(/\n\s+at /);
}

describe('bad input: one clear line, the documented exit code, nothing created', () => {
  it.each([
    ['a name with a blank', create('a b'), 2, /1 to 64 letters/],
    ['a pattern', create('w*'), 2, /1 to 64 letters/],
    ['a reserved name', create('mam-x'), 2, /"mam-"/],
    ['a path', create('../x'), 2, /1 to 64 letters/],
    [
      'a role with capitals',
      ['create', 'a', '--agent', 'demo', '--role', 'Creator'],
      2,
      /a-z, digits/,
    ],
    ['no role', ['create', 'a', '--agent', 'demo'], 2, /--role/],
    [
      'an unknown agent',
      ['create', 'a', '--agent', 'nope', '--role', 'r'],
      2,
      /there are agy, claude, cline, codex, demo, gemini\./,
    ],
    ['an unknown option', create('a', '--bogus'), 2, /--bogus/],
    ['an unknown command', ['craete', 'a'], 2, /craete/],
    ['a missing folder', create('a', '--cwd', 'no-such'), 5, /no such folder/],
    ['a blank prompt', create('a', '--prompt', ' \n '), 2, /blank/],
    ['a missing prompt file', create('a', '--prompt-file', 'no-such'), 2, /no-such/],
    ['a bad number', create('a', '--timeout', 'soon'), 2, /soon/],
    ['a bad choice', create('a', '--permissions', 'maybe'), 2, /skip, ask/],
    ['a bad variable name', create('a', '--env', '1X=y'), 2, /1X/],
    ['a missing variable', create('a', '--env', 'NOT_SET_ANYWHERE'), 5, /NOT_SET_ANYWHERE/],
    [
      'a missing MCP file',
      create('a', '--mcp', 'no-such.json'),
      2,
      /ws\/no-such\.json.*no such file/,
    ],
    ['an unknown parent', create('a', '--parent', 'ghost'), 3, /ghost/],
  ] as const)('%s', async (_, args, code, words) => {
    await using bed = await TestBed.open();
    const result = await bed.mam(args);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(words);
    expectClear(result.stderr);
    await expectNothing(bed);
  });

  it.each([
    ['mcpServers: {token: hush}\n', /is not JSON/],
    ['{"token": "hush",}', /is not JSON/],
    ['', /is not JSON/],
    ['["hush"]', /is not a JSON object/],
  ])('an MCP file that holds %j: named, and nothing of it told', async (content, words) => {
    await using bed = await TestBed.open();
    const good = join(bed.cwd, 'good.json');
    const file = join(bed.cwd, 'servers.json');
    writeFileSync(good, '{"mcpServers": {}}');
    writeFileSync(file, content);
    const { code, stderr } = await bed.mam(create('a', '--mcp', good, '--mcp', file));
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('hush');
    expectClear(stderr);
    await expectNothing(bed);
    const made = await bed.ok(create('a', '--mcp', good, '--json'));
    expect(made.json.session.mcp_attachments).toEqual([good]);
  });

  it('suggests the nearest command', async () => {
    await using bed = await TestBed.open();
    expect((await bed.mam(['stauts'])).stderr).toContain('mam status');
    expect((await bed.mam(['help', 'sned'])).stderr).toContain('mam help send');
  });

  it('names the session that has the name, and touches nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const before = await bed.session('api');
    const taken = await bed.mam(create('API', '--json'));
    expect([taken.code, taken.json.error.code]).toEqual([4, 'name.taken']);
    expect(taken.json.error.message).toContain('"api"');
    expect((await bed.session('api')).launch).toBe(before.launch);
    await bed.ok(['stop', 'api']);
    const stopped = await bed.mam(create('api'));
    expect(stopped.code).toBe(4);
    expect(stopped.stderr).toContain('mam resume api');
  });

  it('names line and column of a broken config, and keeps the file', async () => {
    await using bed = await TestBed.open();
    const config = join(bed.cwd, '.mam', 'config.yaml');
    writeFileSync(config, 'create:\n  permisions: ask\n');
    for (const args of [['status'], create('a')]) {
      const result = await bed.mam(args);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain(`${config}:2:3: unknown key "create.permisions"`);
      expectClear(result.stderr);
    }
  });

  it('says one line and how to install it when tmux is missing', async () => {
    await using bed = await TestBed.open();
    const bin = join(bed.root, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const result = await bed.mam(create('a'), { env: { PATH: bin } });
    expect([result.code, result.stdout]).toEqual([5, '']);
    expect(result.stderr).toMatch(/tmux is needed and was not found.*\n.*apt-get install tmux/);
    expectClear(result.stderr);
    await expectNothing(bed);
  });

  it.each(['tmux 1.8', 'tmux 2.7', 'tmux 3.0a', 'tmux 3.1-rc'])(
    'refuses %s before anything exists',
    async (version) => {
      await using bed = await TestBed.open();
      const shim = makeTmuxShim(join(bed.root, 'shim'), { version });
      const PATH = `${shim.folder}:${bed.env.PATH}`;
      const result = await bed.mam(create('a'), { env: { PATH } });
      expect(result.code).toBe(5);
      expect(result.stderr).toContain(`found "${version}", need 3.2 or newer`);
      expectClear(result.stderr);
      await expectNothing(bed);
    },
  );

  it.each(['tmux next-3.7', 'tmux master', 'tmux openbsd-7.2'])(
    'works with a tmux that calls itself %s',
    async (version) => {
      await using bed = await TestBed.open();
      const shim = makeTmuxShim(join(bed.root, 'shim'), { version });
      const PATH = `${shim.folder}:${bed.env.PATH}`;
      await bed.ok(create('a', '--prompt', 'hello'), { env: { PATH } });
      expect(bed.truth().map(({ text }) => text)).toEqual(['hello']);
    },
  );

  it('says what an agent lacks: not installed, logged out', async () => {
    await using bed = await TestBed.open();
    const PATH = '/usr/bin:/bin';
    const missing = await bed.mam(['create', 'a', '--agent', 'claude', '--role', 'r'], {
      env: { PATH },
    });
    expect(missing.code).toBe(5);
    expect(missing.stderr).toMatch(/"claude" is not installed.*\n.*mam doctor --agent claude/);
    const loggedOut = await bed.mam(create('a'), { env: { DEMO_LOGGED_OUT: '1' } });
    expect(loggedOut.code).toBe(5);
    expectClear(loggedOut.stderr);
    await expectNothing(bed);
  });

  it('ends a start that fails with the last screen, and frees the name', async () => {
    await using bed = await TestBed.open();
    const failed = await bed.mam([...create('a', '--json'), '--', '--crash-on-start', '3']);
    expect([failed.code, failed.json.error.code]).toEqual([5, 'agent.start-failed']);
    expect(failed.json.error.message).toContain('crashed on start');
    expect(failed.json.error.details.exit_code).toBe(3);
    expect((await bed.session('a')).status).toBe('terminated');
    await bed.ok(create('a'));
  });

  it('tells of words after -- that the agent does not know whose they are', async () => {
    await using bed = await TestBed.open();
    const failed = await bed.mam([...create('a', '--json'), '--', '--bogus']);
    expect([failed.code, failed.json.error.code]).toEqual([5, 'agent.start-failed']);
    expect(failed.json.error.message).toContain("Unknown option '--bogus'");
    expect(failed.json.error.hint).toMatch(/what follows -- is given to demo itself/i);
  });

  it('knows no session of another name, and lists those there are', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    for (const args of [
      ['status', 'apj'],
      ['send', 'apj', 'x'],
      ['stop', 'apj'],
      ['resume', 'apj'],
      ['capture', 'apj'],
      ['attach', 'apj'],
      ['answer', 'apj', 'yes'],
    ]) {
      const result = await bed.mam([...args, '--json']);
      const text = JSON.stringify(result.json);
      expect([args[0], result.code]).toEqual([args[0], 3]);
      expect(text).toContain('api');
    }
  });
});

it('a prompt that cannot be read is said so, wherever it was to come from', async () => {
  await using bed = await TestBed.open();
  await bed.create('a');
  const folder = ['sh', '-c', 'exec "$@" </', 'sh'];
  for (const [args, wrap] of [
    [['send', 'a', '-'], folder],
    [['send', 'a', '--file', '/'], []],
  ] as const) {
    const { code, stderr } = await bed.mam(args, { wrap });
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toMatch(/Could not read the prompt: EISDIR/);
    expectClear(stderr);
  }
});
