import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPids, commandLineOf, findProcess, isAlive } from '../support/processes.ts';
import { until } from '../support/until.ts';
import {
  descendants,
  findProgram,
  LauncherRig,
  makeFolderWithoutPerl,
  makeFullDisk,
  makeHostileFolder,
  processesNaming,
  requiredShells,
  signal,
} from './launcher-rig.ts';

const nasty = `a 'q' "d" $(touch pwned) \`touch pwned\` \\ \\n $HOME !! 日本語 🙂\t\r\nline2\n`;

describe.each(requiredShells)('launcher.sh with %s as sh', (shell) => {
  let rig: LauncherRig;

  beforeAll(async () => {
    rig = await LauncherRig.open({
      inner: shell,
      serverEnv: { CLAUDECODE: '1', STALE: 'a\nHOME=b', 'not.a.name': '1' },
    });
  });

  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
  });

  describe('start', () => {
    test('gives the agent exactly its environment, values intact, and runs none of them', async () => {
      const env = { MY_KEY: nasty, PATH: process.env.PATH ?? '', HOME: '/h', EMPTY: '' };
      const launch = await rig.launch('env', { env });
      await launch.logged('READY');
      const { TERM: term, ...rest } = launch.environment();
      expect(rest).toEqual({ ...env, PWD: join(rig.root, 'work') });
      expect(term).toMatch(/^(tmux|screen)/);
      expect(processesNaming('pwned')).toEqual([]);
      for (const folder of ['work', 'home', 'run/env']) {
        expect(() => statSync(join(rig.root, folder, 'pwned'))).toThrow();
      }
    });

    test('has removed the start file before the agent runs', async () => {
      const launch = await rig.launch('gone');
      await launch.logged('READY');
      expect(launch.log()).toContain('start file gone\n');
      expect(launch.has('start')).toBe(false);
    });

    test('puts no value into an argument list', async () => {
      const secret = 's3cr3t-of-this-test';
      let samples = 0;
      const seen: string[] = [];
      let sampling = true;
      const sampler = (async () => {
        while (sampling) {
          samples += 1;
          for (const pid of allPids()) {
            const args = commandLineOf(pid);
            if (args.includes(secret)) seen.push(args);
          }
          await new Promise(setImmediate);
        }
      })();
      // Each launch lasts for a few samples only; a busy machine needs more of them.
      for (let n = 0; n < 8 || samples < 50; n++) {
        const launch = await rig.launch(`secret${n}`, {
          env: { PATH: process.env.PATH ?? '', SECRET: secret },
        });
        await launch.logged('READY');
        expect(launch.environment().SECRET).toBe(secret);
      }
      sampling = false;
      await sampler;
      expect(seen).toEqual([]);
    });

    test('records pid and start time of recorder and agent', async () => {
      const launch = await rig.launch('ids');
      await launch.logged('READY');
      const agent = await launch.pid('agent');
      const inner = await launch.pid('inner');
      expect(launch.log()).toContain(`pid ${agent}\n`);
      expect(launch.read('agent')).toBe(`${agent} ${findProcess(agent)?.startTicks}\n`);
      expect(launch.read('inner')).toBe(`${inner} ${findProcess(inner)?.startTicks}\n`);
      expect(findProcess(agent)?.parent).toBe(inner);
      expect(findProcess(inner)?.parent).toBe(launch.panePid);
      expect(findProcess(agent)?.group).toBe(findProcess(agent)?.foregroundGroup);
    });

    test('writes owner-only files and leaves the agent the umask it was given', async () => {
      const launch = await rig.launch('umask', { mode: 'exit7' });
      await launch.end();
      for (const file of ['inner', 'agent', 'screen', 'exit']) {
        expect(statSync(launch.path(file)).mode & 0o777, file).toBe(0o600);
      }
      const own = process.umask().toString(8).padStart(3, '0');
      expect(launch.log()).toContain(`umask ${own}\n`);
    });

    test('leaves the agent its three files, stderr included', async () => {
      const show =
        'for n in 0 1 2 3 4 5 6 7 8 9 10 11; do [ -e /proc/$$/fd/$n ] && echo $n >&2; done';
      const launch = await rig.launch('fds', { argv: ['/bin/sh', '-c', `${show}; exit 3`] });
      expect(await launch.end()).toBe('3 0');
      expect(launch.read('screen').trimEnd()).toBe('0\n1\n2');
    });

    test('leaves no temporary file', async () => {
      const launch = await rig.launch('tidy', { mode: 'exit0' });
      await launch.closed();
      expect(launch.has('subreaper')).toBe(true);
      for (const file of ['inner', 'agent', 'screen', 'exit']) {
        expect(launch.has(file), file).toBe(true);
        expect(launch.has(`${file}.tmp`), `${file}.tmp`).toBe(false);
      }
    });
  });

  describe('end', () => {
    test('status 0 closes the pane', async () => {
      const before = Math.floor(Date.now() / 1000);
      const launch = await rig.launch('exit0', { mode: 'exit0' });
      expect(await launch.end()).toBe('0 0');
      await launch.closed();
      const at = Number(launch.read('exit').split(' ')[1]);
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(Date.now() / 1000);
      expect(launch.has('left')).toBe(false);
    });

    test('status 0 with "hold" keeps it', async () => {
      const launch = await rig.launch('held', { mode: 'exit0', hold: true });
      expect(await launch.end()).toBe('0 0');
      expect(await launch.held()).toContain('bye');
    });

    test('another status keeps it, with the last screen, which is stored', async () => {
      const launch = await rig.launch('exit7', { mode: 'exit7' });
      expect(await launch.end()).toBe('7 0');
      expect(await launch.held()).toMatch(/^LAST\n[\s\S]*\[mam\] agent ended with status 7;/);
      expect(launch.read('screen').trimEnd()).toBe('LAST');
    });

    test('stores any character of the last screen', async () => {
      const text = 'ぁあぃ い, 日本語, Ž, \\n \\c %s';
      const argv = ['/bin/sh', '-c', 'cat "$1"; exit 3', 'sh', join(rig.root, 'text')];
      writeFileSync(join(rig.root, 'text'), text);
      const launch = await rig.launch('characters', { argv });
      expect(await launch.end()).toBe('3 0');
      expect(launch.read('screen').trimEnd()).toBe(text);
      writeFileSync(join(rig.root, 'text'), '\x1b[31mred');
      const coloured = await rig.launch('colour', { argv });
      expect(await coloured.end()).toBe('3 0');
      expect(coloured.read('screen')).toContain('\x1b[31mred');
    });

    test('stores what came just before the end', async () => {
      const launch = await rig.launch('flood', { mode: 'flood' });
      expect(await launch.end()).toBe('7 0');
      expect(launch.read('screen')).toContain('LAST');
    });

    test.each([
      ['no such program', 127, { argv: ['/no/such/agent'] }],
      ['a program without permission to run', 126, { argv: ['/etc/passwd'] }],
      ['no such working directory', 72, { cwd: '/no/such/directory' }],
      ['no start file', 70, { start: { text: undefined } }],
    ])('%s is status %i', async (title, status, options) => {
      const launch = await rig.launch(title.replaceAll(' ', '-'), options);
      expect(await launch.end()).toBe(`${status} 0`);
      expect(await launch.held()).toContain(`status ${status};`);
      expect(launch.has('start')).toBe(false);
    });

    test.each([
      ['SIGKILL', 'run', 137],
      ['SIGTERM', 'run', 143],
      ['SIGTERM', 'default', 143],
      ['SIGINT', 'default', 130],
    ] as const)('%s to a "%s" agent is status %i', async (name, mode, status) => {
      const launch = await rig.launch(`${name}-${mode}`, { mode });
      await launch.logged('READY');
      signal(await launch.pid('agent'), name);
      expect(await launch.end()).toBe(`${status} 0`);
      await launch.held();
      expect(launch.read('screen').trimEnd()).toBe('READY');
    });

    test('kill-session is recorded after the pane is gone', async () => {
      const launch = await rig.launch('hup');
      await launch.logged('READY');
      await launch.killSession();
      expect(await launch.end()).toBe('129 1');
      expect(launch.log()).toContain('got HUP\n');
      expect(launch.has('screen')).toBe(false);
      expect(await launch.isOpen()).toBe(false);
    });

    test('an agent that ends with 0 because its terminal went counts as hung up', async () => {
      // It can be recorded before the HUP comes, which then must not hit what does the recording.
      const names = Array.from({ length: 8 }, (_, n) => `eof${n}`);
      const launches = await Promise.all(names.map((name) => rig.launch(name, { mode: 'eof' })));
      await Promise.all(launches.map((launch) => launch.logged('READY')));
      await Promise.all(launches.map((launch) => launch.killSession()));
      for (const launch of launches) {
        expect(['0 1', '129 1']).toContain(await launch.end());
        expect(launch.has('screen')).toBe(false);
      }
    });

    test('a hang-up is seen when the agent has a process group of its own', async () => {
      const launch = await rig.launch('group', { mode: 'group' });
      await launch.logged('READY');
      await launch.killSession();
      expect(await launch.end()).toBe('129 1');
    });

    test('stores an alternate screen that KILL left, and resets the terminal', async () => {
      const launch = await rig.launch('alt', { mode: 'alt' });
      await launch.logged('READY');
      const modes =
        '#{mouse_any_flag} #{mouse_sgr_flag} #{keypad_flag} #{keypad_cursor_flag} #{insert_flag} ' +
        '#{origin_flag} #{cursor_flag} #{wrap_flag} #{scroll_region_upper} #{scroll_region_lower}';
      await until('the modes of the agent', async () =>
        (await launch.format(modes)) === '1 1 1 1 1 1 0 0 2 9' ? true : undefined,
      );
      expect(await launch.terminal()).toEqual(expect.arrayContaining(['-icanon', '-echo']));
      signal(await launch.pid('agent'), 'SIGKILL');
      expect(await launch.end()).toBe('137 0');
      const rows = (await launch.held()).split('\n');
      expect(rows[0]).toMatch(/^ALT/);
      expect(rows[39]).toMatch(/^\[mam\] agent ended with status 137; screen kept$/);
      const before = (await launch.screen('-e')).split('[mam]')[0] ?? '';
      expect(before.lastIndexOf('\x0e')).toBeLessThanOrEqual(before.lastIndexOf('\x0f'));
      expect(launch.read('screen')).toContain('ALT');
      expect(await launch.format(modes)).toBe('0 0 0 0 0 0 1 1 0 39');
      expect(await launch.terminal()).toEqual(expect.arrayContaining(['icanon', '-echo']));
    });
  });

  describe('while it runs', () => {
    test('Ctrl-C reaches the agent and not the launcher', async () => {
      const launch = await rig.launch('ctrlc');
      await launch.logged('READY');
      await launch.press('C-c');
      await launch.logged('got INT');
      await launch.press('C-\\');
      await launch.logged('got QUIT');
      expect(await launch.isOpen()).toBe(true);
      signal(await launch.pid('agent'), 'SIGTERM');
      expect(await launch.end()).toBe('143 0');
    });

    test('SIGTERM to the recorder does not end the agent', async () => {
      const launch = await rig.launch('terminner');
      await launch.logged('READY');
      signal(await launch.pid('inner'), 'SIGTERM');
      signal(await launch.pid('agent'), 'SIGUSR1');
      await launch.logged('got USR1');
      signal(await launch.pid('agent'), 'SIGTERM');
      expect(await launch.end()).toBe('143 0');
    });

    test('SIGTSTP does not stop it', async () => {
      const launch = await rig.launch('tstp', { mode: 'run' });
      await launch.logged('READY');
      const agent = await launch.pid('agent');
      signal(agent, 'SIGTSTP');
      await launch.press('C-z');
      signal(agent, 'SIGUSR1');
      await launch.logged('got USR1');
      expect(['S', 'R']).toContain(findProcess(agent)?.state);
    });

    test('a killed recorder leaves no record, and the terminal to the agent', async () => {
      const launch = await rig.launch('killinner');
      await launch.logged('READY');
      const agent = await launch.pid('agent');
      const inner = await launch.pid('inner');
      signal(inner, 'SIGKILL');
      await until('the end of the recorder', () => !isAlive(inner));
      await until('the outer shell waiting on', () => descendants(launch.panePid).length > 0);
      expect(isAlive(agent)).toBe(true);
      expect(await launch.isOpen()).toBe(true);
      expect(await launch.screen()).toBe('READY');
      expect(await launch.terminal()).toContain('echo');
      signal(agent, 'SIGTERM');
      expect(await launch.held()).toContain('[mam] agent ended with status 137');
      expect(launch.has('exit')).toBe(false);
    });

    test('the agent of a killed recorder still ends with its session', async () => {
      const launch = await rig.launch('killinner2');
      await launch.logged('READY');
      signal(await launch.pid('inner'), 'SIGKILL');
      await launch.killSession();
      await launch.logged('got HUP');
    });
  });

  describe('a held pane', () => {
    test('runs nothing that is typed, and no key closes it', async () => {
      const launch = await rig.launch('typed', { mode: 'exit7' });
      await launch.held();
      const before = await launch.screen();
      await launch.press(`touch '${rig.root}/pwned2'`, 'Enter', 'C-c', 'C-\\', 'C-z', 'C-d', 'q');
      await launch.press('Enter');
      expect(await launch.screen()).toBe(before);
      expect(commandLineOf(launch.panePid)).toBe('sleep 2147483647');
      expect(['S', 'R']).toContain(findProcess(launch.panePid)?.state);
      expect(descendants(launch.panePid)).toEqual([]);
      await launch.killSession();
      await until('the end of the held pane', () => !isAlive(launch.panePid));
      expect(() => statSync(join(rig.root, 'pwned2'))).toThrow();
    });
  });

  describe('what the agent leaves behind', () => {
    test('is named with start times, and not waited for without "stopping"', async () => {
      const launch = await rig.launch('orphan', { mode: 'orphan' });
      await launch.logged('READY');
      const inner = await launch.pid('inner');
      const agent = await launch.pid('agent');
      const orphan = await until('the orphan under the recorder', () =>
        descendants(inner).find((pid) => pid !== agent && findProcess(pid)?.parent === inner),
      );
      signal(agent, 'SIGTERM');
      expect(await launch.end()).toBe('143 0');
      await launch.held();
      expect(isAlive(inner)).toBe(false);
      expect(launch.read('left')).toBe(`${orphan} ${findProcess(orphan)?.startTicks}\n`);
      signal(orphan, 'SIGKILL');
    });

    test('a setsid tree with a cleared environment ends under STOP and KILL', async () => {
      const launch = await rig.launch('tree', { mode: 'tree' });
      await launch.logged('READY');
      const inner = await launch.pid('inner');
      const agent = await launch.pid('agent');
      await until('a tree of 20 processes', () => descendants(inner).length > 20);
      writeFileSync(launch.path('stopping'), '');
      signal(agent, 'SIGTERM');
      expect(await launch.end()).toBe('143 0');
      expect(launch.read('left').split('\n').length).toBeGreaterThan(3);
      expect(descendants(inner).length).toBeGreaterThan(20);
      // The recorder's own nap is in the set, too; hence twice, as `mam stop` does it.
      for (let round = 0, empty = 0; round < 40 && empty < 2; round++) {
        const set = descendants(inner);
        for (const pid of set) signal(pid, 'SIGSTOP');
        for (const pid of set) signal(pid, 'SIGKILL');
        empty = set.length === 0 ? empty + 1 : 0;
      }
      await until('the end of the recorder', () => !isAlive(inner));
      await until('the end of the tree', () => processesNaming(launch.logDir).length === 0);
    });

    test('is not waited for any longer when the run folder vanished', async () => {
      const launch = await rig.launch('vanished', { mode: 'orphan' });
      await launch.logged('READY');
      const inner = await launch.pid('inner');
      writeFileSync(launch.path('stopping'), '');
      signal(await launch.pid('agent'), 'SIGTERM');
      await launch.end();
      await until('the recorder waiting', () =>
        descendants(inner).some((pid) => commandLineOf(pid).startsWith('sleep')),
      );
      expect(isAlive(inner)).toBe(true);
      rmSync(launch.runDir, { recursive: true });
      await until('the end of the recorder', () => !isAlive(inner));
      for (const pid of processesNaming(launch.logDir)) signal(pid, 'SIGKILL');
    });
  });

  test('a full disk costs the records, neither the agent nor its pane', async () => {
    const disk = makeFullDisk(rig.root);
    try {
      const launch = await rig.launch('full', {
        runDir: disk.folder,
        wrap: disk.wrap,
        mode: 'run',
        argv: ['/bin/sh', '-c', 'echo RUNS; read -r line; exit 7'],
        beforePane: () => disk.fill(),
      });
      await until('the agent on the screen', async () =>
        (await launch.screen()).includes('RUNS') ? true : undefined,
      );
      disk.fill();
      await launch.press('Enter');
      const screen = await launch.held();
      expect(screen).toContain('RUNS');
      expect(screen).toContain('[mam] agent ended with status 7');
      for (const file of ['exit', 'screen', 'agent', 'inner']) {
        expect(launch.has(file), file).toBe(false);
      }
      await launch.killSession();
    } finally {
      disk.release();
    }
  });
});

describe.each(requiredShells)('launcher.sh: waiting with %s as sh', (shell) => {
  test.each([
    [
      'polls twenty times a second, and once after a while',
      'exit 0',
      [...Array(100).fill('0.05'), '1', '1'],
    ],
    [
      'takes a sleep that knows whole seconds only',
      'case $1 in *.*) exit 1 ;; esac',
      ['0.05', '1', '1'],
    ],
    ['goes on when its sleep is killed', 'kill -9 $$', ['0.05', '0.05', '0.05']],
  ])('%s', async (_title, behaviour, expected) => {
    const stubs = makeHostileFolder();
    const calls = join(stubs, 'calls');
    const stub = `#!/bin/sh\necho "$1" >>'${quoted(calls)}'\n${behaviour}\n`;
    writeFileSync(join(stubs, 'sleep'), stub, { mode: 0o755 });
    const rig = await LauncherRig.open({ inner: shell, pathFirst: [stubs] });
    try {
      const launch = await rig.launch('poll', { mode: 'orphan' });
      await launch.logged('READY');
      writeFileSync(launch.path('stopping'), '');
      rmSync(calls, { force: true });
      signal(await launch.pid('agent'), 'SIGTERM');
      await until('the naps', () => readLines(calls).length >= expected.length);
      rmSync(launch.path('stopping'));
      expect(readLines(calls).slice(0, expected.length)).toEqual(expected);
    } finally {
      for (const pid of processesNaming('/logs/poll')) signal(pid, 'SIGKILL');
      await rig[Symbol.asyncDispose]();
      rmSync(stubs, { recursive: true });
    }
  });
});

const pairs = requiredShells.flatMap((outer) =>
  requiredShells.filter((inner) => inner !== outer).map((inner) => [outer, inner] as const),
);

describe.each(pairs)('launcher.sh with %s outside and %s inside', (outer, inner) => {
  test('keeps statuses, hang-up, screen and held pane', async () => {
    const rig = await LauncherRig.open({ outer, inner });
    try {
      const [failed, hungUp, killed, done] = await Promise.all([
        rig.launch('failed', { mode: 'exit7' }),
        rig.launch('hung-up'),
        rig.launch('killed', { mode: 'alt' }),
        rig.launch('done', { mode: 'exit0' }),
      ]);
      await Promise.all([hungUp.logged('READY'), killed.logged('READY')]);
      await hungUp.killSession();
      signal(await killed.pid('agent'), 'SIGKILL');
      expect(await hungUp.end()).toBe('129 1');
      expect(await failed.end()).toBe('7 0');
      expect(await killed.end()).toBe('137 0');
      expect(await done.end()).toBe('0 0');
      expect(failed.read('screen').trimEnd()).toBe('LAST');
      expect(killed.read('screen')).toContain('ALT');
      await Promise.all([failed.held(), killed.held(), done.closed()]);
    } finally {
      await rig[Symbol.asyncDispose]();
    }
  });
});

describe('launcher.sh in its surroundings', () => {
  test('no shell profile is read, whatever the default shell', async () => {
    const rig = await LauncherRig.open({ inner: 'bash', defaultShell: findProgram('bash') });
    try {
      for (const file of ['.bash_profile', '.bashrc', '.profile']) {
        writeFileSync(join(rig.root, 'home', file), 'echo NOISE\nPATH=/no/such/folder\n');
      }
      const launch = await rig.launch('profile', { mode: 'exit7' });
      expect(await launch.end()).toBe('7 0');
      expect(await launch.held()).not.toContain('NOISE');
      expect(launch.read('screen').trimEnd()).toBe('LAST');
    } finally {
      await rig[Symbol.asyncDispose]();
    }
  });

  test.each(['bash', 'zsh'])('%s under its own name is no different', async (shell) => {
    const rig = await LauncherRig.open({ inner: 'dash' });
    try {
      const outer = findProgram(shell);
      const failed = await rig.launch('failed', { mode: 'exit7', outer });
      expect(await failed.end()).toBe('7 0');
      await failed.held();
      const killed = await rig.launch('killed', { outer });
      await killed.logged('READY');
      const inner = await killed.pid('inner');
      signal(inner, 'SIGKILL');
      await until('the outer shell waiting on', () =>
        descendants(killed.panePid).some((pid) => commandLineOf(pid).startsWith('sleep')),
      );
      expect(await killed.screen()).toBe('READY');
      await killed.killSession();
      await killed.logged('got HUP');
    } finally {
      await rig[Symbol.asyncDispose]();
    }
  });

  test('a hang-up in the midst of recording does not end what records', async () => {
    const stubs = makeHostileFolder();
    const stub = [
      '#!/bin/sh',
      `case $* in *exit.tmp*) >'${quoted(stubs)}/reached'`,
      `while [ ! -e '${quoted(stubs)}/go' ]; do /bin/sleep 0.01; done ;; esac`,
      `exec '${findProgram('mv')}' "$@"`,
    ];
    writeFileSync(join(stubs, 'mv'), `${stub.join('\n')}\n`, { mode: 0o755 });
    const rig = await LauncherRig.open({ inner: 'dash', pathFirst: [stubs] });
    try {
      const launch = await rig.launch('midst', { mode: 'exit7' });
      await until('mv being called for the record', () => existsSync(join(stubs, 'reached')));
      await launch.killSession();
      await until('the end of the outer shell', () => !isAlive(launch.panePid));
      writeFileSync(join(stubs, 'go'), '');
      expect(await launch.end()).toBe('7 0');
    } finally {
      await rig[Symbol.asyncDispose]();
      rmSync(stubs, { recursive: true });
    }
  });

  test('without perl it works and claims no subreaper', async () => {
    const bare = makeHostileFolder();
    const rig = await LauncherRig.open({
      inner: 'dash',
      pathRest: makeFolderWithoutPerl(join(bare, 'bin')),
    });
    try {
      const launch = await rig.launch('no-perl', { mode: 'exit7' });
      expect(await launch.end()).toBe('7 0');
      await launch.held();
      expect(launch.has('subreaper')).toBe(false);
      expect(launch.read('inner')).toMatch(/^\d+ \d+\n$/);
      expect(launch.read('screen').trimEnd()).toBe('LAST');
    } finally {
      await rig[Symbol.asyncDispose]();
      rmSync(bare, { recursive: true });
    }
  });

  test('nothing outlives kill-server', async () => {
    const rig = await LauncherRig.open({ inner: 'dash' });
    try {
      const launches = await Promise.all([
        rig.launch('running'),
        rig.launch('alt', { mode: 'alt' }),
        rig.launch('held', { mode: 'exit7' }),
        rig.launch('orphaned'),
      ]);
      const [running, alt, held, orphaned] = launches;
      await Promise.all([running.logged('READY'), alt.logged('READY'), orphaned.logged('READY')]);
      await held.held();
      signal(await orphaned.pid('inner'), 'SIGKILL');
      await rig.tmux('kill-server');
      await until('the end of everything', () => processesNaming(rig.root).length === 0);
      expect(await running.end()).toBe('129 1');
      expect(launches.filter((launch) => isAlive(launch.panePid))).toEqual([]);
    } finally {
      await rig[Symbol.asyncDispose]();
    }
  });
});

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
