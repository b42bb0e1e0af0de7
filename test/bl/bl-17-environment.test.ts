import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { allPids, commandLineOf, environmentOf } from '../support/processes.ts';
import { type CliResult, finished, TestBed } from '../support/test-bed.ts';

const SECRET = 's3cr3t-8d41';
const create = ['--agent', 'demo', '--role', 'creator', '--json'];

describe("BL-17 the server's frozen environment leaks in, the caller's does not", () => {
  it('gives an agent what it was promised, and nothing else', async () => {
    await using bed = await TestBed.open();
    const first = join(bed.root, 'a1.json');
    const agentMarkers = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', STALE: '1' };
    const outer = { TMUX: '/tmp/outer,1,0', TMUX_PANE: '%7', TERM_PROGRAM: 'tmux', MAM_JOB: 'x' };
    const env = { ...agentMarkers, ...outer, MY_KEY: SECRET, LC_TIME: 'C', http_proxy: 'http://p' };
    await bed.create('a0');
    bed.tmux('kill-server');
    // The server is started by this command, so it would keep all of it.
    await bed.ok(['resume', 'a0'], { env });
    const made = ['create', 'a1', ...create, '--env', 'MY_KEY', '--', '--env-dump', first];
    await bed.ok(made, { env });
    const a1 = JSON.parse(readFileSync(first, 'utf8'));
    expect(a1).toMatchObject({
      ...{ MY_KEY: SECRET, LC_TIME: 'C', http_proxy: 'http://p', HOME: bed.home, USER: 'tester' },
      MAM_WORKSPACE: bed.cwd,
      MAM_SESSION: (await bed.session('a1')).id,
      MAM_DEPTH: '0',
    });
    const unwanted = [...Object.keys(agentMarkers), ...Object.keys(outer)];
    expect(unwanted.filter((name) => name in a1)).toEqual([]);

    const second = join(bed.root, 'a2.json');
    await bed.ok(['create', 'a2', ...create, '--', '--env-dump', second], {
      env: { LANG: 'C', PATH: `${bed.env.PATH}:/opt/late` },
    });
    const a2 = JSON.parse(readFileSync(second, 'utf8'));
    expect(a2).toMatchObject({ LANG: 'C', PATH: `${bed.env.PATH}:/opt/late` });
    expect(['MY_KEY', 'LC_TIME', 'http_proxy'].filter((name) => name in a2)).toEqual([]);

    const server = Number(bed.tmux('display-message', '-p', '#{pid}').stdout);
    const frozen = Object.keys(environmentOf(server));
    expect([...unwanted, 'MY_KEY', 'MAM_LAUNCH'].filter((name) => frozen.includes(name))).toEqual(
      [],
    );
  });

  it('never shows a value: no argument list, log, file or error has it', async () => {
    await using bed = await TestBed.open();
    const env = { MY_KEY: SECRET };
    const said: CliResult[] = [];
    const args = ['create', 'a1', ...create, '--env', 'MY_KEY', '--prompt', 'hello'];
    const command = bed.start(args, { env });
    const [result, samples] = await Promise.all([
      finished(command),
      sampleArguments(() => command.exitCode !== null),
    ]);
    expect(result.code).toBe(0);
    expect(samples.count).toBeGreaterThan(50);
    expect(samples.seen.size).toBeGreaterThan(5);
    expect([...samples.seen].filter((line) => line.includes(SECRET))).toEqual([]);
    said.push(result);
    said.push(await bed.ok(['status', '--json']), await bed.ok(['stop', 'a1', '--json'], { env }));
    const failing = ['create', 'a2', ...create, '--env', 'MY_KEY', '--', '--crash-on-start', '3'];
    said.push(await bed.mam(failing, { env }));
    said.push(
      await bed.mam(['create', 'a3', ...create, '--env', `MY_KEY=${SECRET}`, '--env', 'X Y']),
    );
    said.push(
      await bed.mam(['create', 'a4', ...create, '--env', 'MY_KEY'], { env: { MY_KEY: undefined } }),
    );
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 5, 2, 5]);
    const words = said.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect(words).not.toContain(SECRET);
    expect(words).toContain('MY_KEY');
    const files = allFiles(bed.root);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((path) => readFileSync(path).includes(SECRET))).toEqual([]);
  });

  it('needs the variable again at a resume, and says which', async () => {
    await using bed = await TestBed.open();
    const dump = join(bed.root, 'a1.json');
    const env = { MY_KEY: SECRET, OTHER: 'x' };
    const names = ['--env', 'MY_KEY', '--env', 'OTHER'];
    await bed.ok(['create', 'a1', ...create, ...names, '--', '--env-dump', dump], { env });
    await bed.ok(['stop', 'a1']);
    const before = await bed.session('a1');
    expect(before.env_names).toEqual(['MY_KEY', 'OTHER']);

    for (const which of [['a1'], ['--all']]) {
      const refused = await bed.mam(['resume', ...which, '--json'], { env: { OTHER: 'x' } });
      expect(refused.code).toBe(5);
      const [{ error }] = refused.json.failed;
      expect(error.code).toBe('env.missing');
      expect(error.details.names).toEqual(['MY_KEY']);
      expect(error.message).toContain('MY_KEY');
    }
    expect(await bed.session('a1')).toEqual(before);

    await bed.ok(['resume', 'a1'], { env: { ...env, MY_KEY: 'another' } });
    expect(JSON.parse(readFileSync(dump, 'utf8'))).toMatchObject({ MY_KEY: 'another', OTHER: 'x' });
  });

  it('refuses names that would not arrive, or lead elsewhere, before anything exists', async () => {
    await using bed = await TestBed.open();
    const env = { TMUX: '/tmp/outer,1,0', IFS: 'x' };
    const names = ['TMUX', 'TMUX_PANE=%1', 'MAM_SESSION=x', 'IFS', 'UID=0', '1X=1', 'A-B', ''];
    for (const given of names) {
      const { code, json } = await bed.mam(['create', 'a1', ...create, '--env', given], { env });
      expect([code, json.error.code], given).toEqual([2, 'usage.invalid']);
    }
    expect((await bed.ok(['status', '--json'])).json.sessions).toEqual([]);
  });
});

/** Every argument list of the machine, over and over until `isOver`. */
async function sampleArguments(isOver: () => boolean) {
  const seen = new Set<string>();
  let count = 0;
  for (; !isOver(); count++) {
    for (const pid of allPids()) seen.add(commandLineOf(pid));
    await setImmediate();
  }
  return { seen, count };
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
