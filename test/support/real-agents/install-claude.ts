import { access, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { runAsUser } from './as-user.ts';

/** Newest when this was written, and the one that plain `npm install` picks on Node 20. */
export type ClaudeVersion = '2.1.332' | '2.1.197';

const REPOSITORY = new URL('../../..', import.meta.url).pathname;
const installs = new Map<ClaudeVersion, Promise<string>>();

/**
 * Installs Claude Code from the npm registry unless it is there, and returns the program's absolute
 * path. The first call takes some seconds and 250-400 MB below `.cache/agents`, which git ignores.
 * Calls may overlap, in one process or several: each installs beside, and the first rename wins.
 */
export function ensureClaude(version: ClaudeVersion): Promise<string> {
  const running = installs.get(version) ?? install(version);
  installs.set(version, running);
  return running;
}

async function install(version: ClaudeVersion): Promise<string> {
  const cached = await ensureIn(join(REPOSITORY, '.cache', 'agents'), version);
  if (await runsForUser(cached)) return cached;
  // The checkout may lie where the ordinary user cannot go, for example below /root.
  const shared = join(tmpdir(), `mam-claude-${process.getuid?.() ?? 0}-${version}`);
  await mkdir(shared, { recursive: true, mode: 0o755 });
  const { uid } = await lstat(shared);
  if (uid !== process.getuid?.()) throw new Error(`${shared} belongs to another user (${uid}).`);
  const program = await ensureIn(shared, version);
  if (await runsForUser(program)) return program;
  throw new Error(`Claude Code ${version} was installed as ${program}, but does not run.`);
}

async function ensureIn(root: string, version: ClaudeVersion): Promise<string> {
  const target = join(root, `claude-${version}`);
  const present = await findProgram(target);
  if (present) return present;
  await mkdir(root, { recursive: true });
  const beside = await mkdtemp(`${target}.`);
  try {
    // Its postinstall only copies the program of the platform's own package; that one is used as it is.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const spec = `@anthropic-ai/claude-code@${version}`;
    await execa('npm', ['install', '--prefix', beside, ...flags, spec], { cwd: tmpdir() });
    await execa('chmod', ['-R', 'a+rX', beside]);
    await rename(beside, target).catch(async (error: unknown) => {
      if (!(await findProgram(target))) throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  const program = await findProgram(target);
  if (!program) throw new Error(`npm installed no program of Claude Code below ${target}.`);
  return program;
}

async function findProgram(target: string): Promise<string | undefined> {
  const scope = join(target, 'node_modules', '@anthropic-ai');
  const packages = await readdir(scope).catch((): string[] => []);
  // With both C libraries' packages present the one for glibc comes first.
  for (const name of packages.filter((entry) => entry.startsWith('claude-code-')).sort()) {
    const program = join(scope, name, 'claude');
    if (
      await access(program).then(
        () => true,
        () => false,
      )
    )
      return program;
  }
  return undefined;
}

async function runsForUser(program: string): Promise<boolean> {
  const env = { HOME: tmpdir(), PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const { exitCode, stdout } = await runAsUser([program, '--version'], { env, cwd: '/' });
  return exitCode === 0 && stdout.includes('Claude Code');
}
