import { lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** One version of an agent CLI on the npm registry. */
export interface NpmCli {
  /** Names its folder, for example `claude`. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** What npm does not do; told the folder that it was installed into. */
  complete?(folder: string): Promise<void>;
  /** The program below a folder that it was installed into; undefined when it is not there. */
  findProgram(folder: string): Promise<string | undefined>;
  /** Whether the ordinary user can run it. */
  runsForUser(program: string): Promise<boolean>;
}

const REPOSITORY = new URL('../../..', import.meta.url).pathname;
const installs = new Map<string, Promise<string>>();

/**
 * Installs an agent CLI from the npm registry unless it is there, and returns the program's absolute
 * path. The first call takes some seconds and 100-400 MB below `.cache/agents`, which git ignores.
 * Calls may overlap, in one process or several: each installs beside, and the first rename wins.
 */
export function ensureInstalled(cli: NpmCli): Promise<string> {
  const key = `${cli.name}-${cli.version}`;
  const running = installs.get(key) ?? install(cli);
  installs.set(key, running);
  return running;
}

async function install(cli: NpmCli): Promise<string> {
  const cached = await ensureIn(join(REPOSITORY, '.cache', 'agents'), cli);
  if (await cli.runsForUser(cached)) return cached;
  // The checkout may lie where the ordinary user cannot go, for example below /root.
  const shared = join(tmpdir(), `mam-${cli.name}-${process.getuid?.() ?? 0}-${cli.version}`);
  await mkdir(shared, { recursive: true, mode: 0o755 });
  const { uid } = await lstat(shared);
  if (uid !== process.getuid?.()) throw new Error(`${shared} belongs to another user (${uid}).`);
  const program = await ensureIn(shared, cli);
  if (await cli.runsForUser(program)) return program;
  throw new Error(`${cli.package} ${cli.version} was installed as ${program}, but does not run.`);
}

async function ensureIn(root: string, cli: NpmCli): Promise<string> {
  const target = join(root, `${cli.name}-${cli.version}`);
  const present = await cli.findProgram(target);
  if (present) return present;
  await mkdir(root, { recursive: true });
  const beside = await mkdtemp(`${target}.`);
  try {
    // Scripts only copy or build what the CLIs find or do without.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const spec = `${cli.package}@${cli.version}`;
    await execa('npm', ['install', '--prefix', beside, ...flags, spec], { cwd: tmpdir() });
    await cli.complete?.(beside);
    await execa('chmod', ['-R', 'a+rX', beside]);
    await rename(beside, target).catch(async (error: unknown) => {
      if (!(await cli.findProgram(target))) throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  const program = await cli.findProgram(target);
  if (!program) throw new Error(`npm installed no program of ${cli.package} below ${target}.`);
  return program;
}
