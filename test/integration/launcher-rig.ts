import { execFile, execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { renderStartFile } from '../../src/services/fleet/start-file.ts';
import {
  allPids,
  commandLineOf,
  findProcess,
  isAlive,
  type ProcessSeen,
} from '../support/processes.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** The shells that must be able to be `sh`. An absent one fails its tests; none is skipped. */
export const requiredShells = ['dash', 'bash', 'zsh', 'busybox'] as const;
export type ShellName = (typeof requiredShells)[number];

export function assetPath(name: string): string {
  return fileURLToPath(new URL(`../../src/assets/${name}`, import.meta.url));
}

/** @throws {Error} not on PATH; the message has the Debian package. */
export function findProgram(name: string): string {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  throw new Error(`"${name}" is not on PATH; these tests need it (apt-get install ${name})`);
}

/** Makes `folder` with a program `sh` that is this shell; it goes first in a PATH. */
export function makeShellFolder(folder: string, shell: ShellName): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(findProgram(shell), join(folder, 'sh'));
  return folder;
}

/** A folder whose name has what quoting gets wrong: comma, blank, quotes, CJK, dollar. */
export function makeHostileFolder(): string {
  return mkdtempSync(join(tmpdir(), `l, '"日$x `));
}

/** Living processes below `root`, itself not included. */
export function descendants(root: number): number[] {
  const stats = allPids().flatMap((pid) => findProcess(pid) ?? []);
  const byPid = new Map(stats.map((stat) => [stat.pid, stat]));
  const isBelow = (stat: ProcessSeen): boolean => {
    for (let at = stat.parent, steps = 0; at > 1 && steps < 64; steps++) {
      if (at === root) return true;
      at = byPid.get(at)?.parent ?? 0;
    }
    return false;
  };
  return stats.filter((stat) => stat.state !== 'Z' && isBelow(stat)).map((stat) => stat.pid);
}

/** Pids of living processes that have `needle` in an argument. */
export function processesNaming(needle: string): number[] {
  return allPids().filter(
    (pid) => pid !== process.pid && isAlive(pid) && commandLineOf(pid).includes(needle),
  );
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface FullDisk {
  /** An empty folder on it. */
  readonly folder: string;
  /** Uses up what is free; what is in the folder stays readable. */
  fill(): void;
  /** Words in front of a command, for the case that a limit stands in for the disk. */
  readonly wrap: readonly string[];
  release(): void;
}

/** A tmpfs of a few pages where mounting is allowed, else a file-size limit of 0 for the command. */
export function makeFullDisk(parent: string): FullDisk {
  const folder = join(parent, 'full');
  mkdirSync(folder, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k,mode=700', 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return { folder, fill() {}, wrap: limitWords, release() {} };
  }
  return {
    folder,
    fill: () => {
      try {
        for (let n = 0; ; n++) writeFileSync(join(folder, `.filler${n}`), Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    wrap: [],
    release: () => void execFileSync('umount', ['-l', folder]),
  };
}

const limitWords = ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'];

export interface RigOptions {
  readonly inner: ShellName;
  /** The shell of the pane's first process; default: the same. */
  readonly outer?: ShellName;
  /** What tmux would run a command string with; it must not matter. */
  readonly defaultShell?: string;
  /** Folders put in front of PATH, before the one with `sh`. */
  readonly pathFirst?: readonly string[];
  /** Replaces the rest of PATH. */
  readonly pathRest?: string;
  /** Added to the environment that the tmux server freezes. */
  readonly serverEnv?: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  readonly mode?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly hold?: boolean;
  /** Text of the start file in place of the rendered one; `undefined` as a value: no start file. */
  readonly start?: { readonly text: string | undefined };
  /** The run folder, when it is not to be made beside the others. */
  readonly runDir?: string;
  readonly wrap?: readonly string[];
  /** The pane's first shell, when it is not to be called `sh`. */
  readonly outer?: string;
  /** Called when everything is written, just before the pane is made. */
  readonly beforePane?: () => void;
}

/** A private tmux server, and launches of our launcher in it. */
export class LauncherRig {
  readonly root: string;
  readonly socket: string;
  readonly agentScript: string;
  readonly #outer: string;
  readonly #launcher: string;
  readonly #env: Readonly<Record<string, string>>;

  static async open(options: RigOptions): Promise<LauncherRig> {
    const rig = new LauncherRig(options);
    try {
      await rig.tmux('new-session', '-d', '-s', 'base', '/bin/sleep', '3600');
    } catch (error) {
      rmSync(rig.root, { recursive: true, force: true });
      throw error;
    }
    return rig;
  }

  private constructor(options: RigOptions) {
    this.root = makeHostileFolder();
    this.socket = join(this.root, 's');
    const inner = makeShellFolder(join(this.root, 'bin'), options.inner);
    const outer = options.outer ?? options.inner;
    this.#outer = join(makeShellFolder(join(this.root, 'outer'), outer), 'sh');
    this.#launcher = join(this.root, 'launcher.sh');
    copyFileSync(assetPath('launcher.sh'), this.#launcher);
    this.agentScript = join(this.root, 'agent.pl');
    writeFileSync(this.agentScript, agentSource);
    for (const folder of ['run', 'logs', 'home', 'work']) mkdirSync(join(this.root, folder));
    writeFileSync(
      join(this.root, 'conf'),
      `set -g default-shell ${options.defaultShell ?? '/bin/sh'}\nset -g update-environment ""\n`,
    );
    this.#env = {
      HOME: join(this.root, 'home'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      PATH: [
        ...(options.pathFirst ?? []),
        inner,
        options.pathRest ?? process.env.PATH ?? '/usr/bin:/bin',
      ].join(':'),
      ...options.serverEnv,
    };
  }

  async tmux(...args: string[]): Promise<string> {
    const all = ['-S', this.socket, '-f', join(this.root, 'conf'), ...args];
    const { stdout } = await run('tmux', all, { env: this.#env, timeout: 30_000 });
    return stdout.trimEnd();
  }

  async launch(name: string, options: LaunchOptions = {}): Promise<Launch> {
    const launch = new Launch(this, name, options.runDir ?? join(this.root, 'run', name));
    mkdirSync(launch.runDir, { mode: 0o700, recursive: true });
    mkdirSync(launch.logDir);
    const argv = options.argv ?? [
      findProgram('perl'),
      this.agentScript,
      launch.logDir,
      options.mode ?? 'run',
      launch.path('start'),
    ];
    const rendered = renderStartFile({
      cwd: options.cwd ?? join(this.root, 'work'),
      argv,
      env: options.env ?? { PATH: this.#env.PATH ?? '' },
    });
    const start = options.start === undefined ? rendered : options.start.text;
    if (start !== undefined) writeFileSync(launch.path('start'), start, { mode: 0o600 });
    if (options.hold) writeFileSync(launch.path('hold'), '');
    options.beforePane?.();
    const size = ['-x', '140', '-y', '40'];
    const command = [
      ...(options.wrap ?? []),
      options.outer ?? this.#outer,
      this.#launcher,
      launch.runDir,
    ];
    launch.pane = await this.tmux(
      ...['new-session', '-d', ...size, '-s', name, '-P', '-F', '#{pane_id} #{pane_pid}'],
      ...command,
    );
    return launch;
  }

  /** Kills the server and waits until no process of this rig is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.tmux('kill-server').catch(() => undefined);
    try {
      await until(
        'the end of all processes of the rig',
        () => processesNaming(this.root).length === 0,
      );
    } finally {
      for (const pid of processesNaming(this.root)) signal(pid, 'SIGKILL');
      rmSync(this.root, { recursive: true, force: true });
    }
  }
}

/** One run of the launcher. */
export class Launch {
  readonly logDir: string;
  readonly name: string;
  readonly runDir: string;
  /** "PANE_ID PANE_PID", as tmux said. */
  pane = '';
  readonly #rig: LauncherRig;

  constructor(rig: LauncherRig, name: string, runDir: string) {
    this.#rig = rig;
    this.name = name;
    this.runDir = runDir;
    this.logDir = join(rig.root, 'logs', name);
  }

  get paneId(): string {
    return this.pane.split(' ')[0] ?? '';
  }

  get panePid(): number {
    return Number(this.pane.split(' ')[1]);
  }

  path(file: string): string {
    return join(this.runDir, file);
  }

  has(file: string): boolean {
    return existsSync(this.path(file));
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8');
  }

  log(): string {
    const path = join(this.logDir, 'log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  logged(line: string): Promise<true> {
    return until(`"${line}" in the log of ${this.name}`, () =>
      this.log().split('\n').includes(line) ? true : undefined,
    );
  }

  /** The environment that the agent was started with, byte for byte. */
  environment(): Record<string, string> {
    return parseEnviron(readFileSync(join(this.logDir, 'environ'), 'utf8'));
  }

  /** The pid of a file "PID STARTTICKS". */
  async pid(file: 'agent' | 'inner'): Promise<number> {
    await until(`${file} of ${this.name}`, () => this.has(file));
    return Number(this.read(file).split(' ')[0]);
  }

  /** "STATUS HUNG_UP", once it is written. */
  async end(): Promise<string> {
    await until(`exit of ${this.name}`, () => this.has('exit'));
    const [status, , hungUp] = this.read('exit').trimEnd().split(' ');
    return `${status} ${hungUp}`;
  }

  async isOpen(): Promise<boolean> {
    const panes = await this.#rig.tmux('list-panes', '-a', '-F', '#{pane_id}');
    return panes.split('\n').includes(this.paneId);
  }

  closed(): Promise<true> {
    return until(`the end of the pane of ${this.name}`, async () =>
      (await this.isOpen()) ? undefined : true,
    );
  }

  screen(...options: string[]): Promise<string> {
    return this.#rig.tmux('capture-pane', '-p', ...options, '-t', this.paneId);
  }

  /** Waits until the launcher's last words are there; returns the screen. */
  held(): Promise<string> {
    return until(`the words of the held pane of ${this.name}`, async () => {
      const screen = await this.screen();
      const isSleep = commandLineOf(this.panePid).startsWith('sleep ');
      return screen.includes('[mam] agent ended') && isSleep ? screen : undefined;
    });
  }

  format(format: string): Promise<string> {
    return this.#rig.tmux('display-message', '-p', '-t', this.paneId, format);
  }

  async press(...keys: string[]): Promise<void> {
    await this.#rig.tmux('send-keys', '-t', this.paneId, ...keys);
  }

  async killSession(): Promise<void> {
    await this.#rig.tmux('kill-session', '-t', `=${this.name}`);
  }

  /** Settings of the pane's terminal, as words. */
  async terminal(): Promise<string[]> {
    const tty = await this.format('#{pane_tty}');
    return execFileSync('stty', ['-F', tty, '-a'], { encoding: 'utf8' }).split(/[\s;]+/);
  }
}

export function parseEnviron(text: string): Record<string, string> {
  const entries = text.split('\0').filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/** PATH folder with links to what the launcher needs, and no perl. */
export function makeFolderWithoutPerl(folder: string): string {
  mkdirSync(folder);
  const needed = ['env', 'rm', 'mv', 'sh', 'uname', 'date', 'sleep', 'stty', 'tmux', 'cat'];
  for (const name of needed) symlinkSync(resolveLink(findProgram(name)), join(folder, name));
  return folder;
}

/** `sh` may be a link that is relative to its own folder. */
function resolveLink(path: string): string {
  try {
    return join('/', readlinkSync(path).startsWith('/') ? readlinkSync(path) : path);
  } catch {
    return path;
  }
}

const agentSource = String.raw`
use strict; use warnings; use Cwd ();
my ($dir, $mode, $start) = @ARGV;
$| = 1;
sub note { open my $f, '>>', "$dir/log" or die; syswrite $f, "$_[0]\n"; }
my %end = (HUP => 129, TERM => 143);
for my $s (qw(HUP TERM INT QUIT USR1)) {
  $SIG{$s} = sub { note("got $s"); exit $end{$s} if $end{$s} };
}
{ open my $in, '<', '/proc/self/environ'; local $/; open my $out, '>', "$dir/environ"; print {$out} <$in>; }
note("pid $$"); note(sprintf 'umask %03o', umask); note('cwd ' . Cwd::getcwd());
note('start file ' . (-e $start ? 'there' : 'gone'));
sub forever { note('READY'); print "READY\n"; select undef, undef, undef, 0.1 while 1 }
if ($mode eq 'exit0') { print "bye\n"; exit 0 }
if ($mode eq 'exit7') { print "LAST\n"; exit 7 }
if ($mode eq 'flood') { print(('y' x 99 . "\n") x 700); print "LAST\n"; exit 7 }
if ($mode eq 'default') { $SIG{$_} = 'DEFAULT' for keys %SIG; forever() }
if ($mode eq 'alt') {
  print "\e[?1049h\e[2J\e[HALT\e[3;10r\e[4h\e[?6h\e[?1h\e=\e[?25l\e[?7l",
    "\e[?1000h\e[?1002h\e[?1003h\e[?1006h\e[?1004h\e[?2004h\e(0";
  system 'stty raw -echo'; forever();
}
if ($mode eq 'eof') { note('READY'); print "READY\n"; 1 while sysread STDIN, my $x, 1; note('EOF'); exit 0 }
if ($mode eq 'group') {
  require POSIX; setpgrp; $SIG{TTOU} = 'IGNORE'; POSIX::tcsetpgrp(0, $$); forever();
}
if ($mode eq 'orphan') {
  if (!fork) { exec 'setsid', $^X, '-e', 'if (fork) { exit } select undef, undef, undef, 0.1 while 1', $dir }
  wait;
  forever();
}
if ($mode eq 'tree') {
  for (1 .. 3) {
    next if fork;
    %ENV = (PATH => $ENV{PATH});
    exec 'setsid', $^X, '-e', '
      $SIG{$_} = "IGNORE" for qw(HUP TERM INT);
      exit if fork;
      while (1) { if (!fork) { select undef, undef, undef, 2; exit } select undef, undef, undef, 0.1 }', $dir;
  }
}
forever();
`;
