// Builds and tests with other versions of Node: each in a copy of its own, native modules compiled against
// its headers.
//   npm run test:node-matrix                 22, 24 and 26
//   npm run test:node-matrix -- 24           only these
// The npm package `node` carries the binary and the headers: its folder comes first in PATH and is given as
// npm_config_nodedir.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache', 'node-matrix');
const wanted = process.argv.slice(2);
const versions = wanted.length > 0 ? wanted : ['22', '24', '26'];
/** Real parts of every kind: SQLite, tmux, the demo agent, the bundle, many processes. */
const TESTS = [
  'test/bl/bl-01',
  'test/bl/bl-27',
  'test/integration/registry',
  'test/integration/bundle',
];

function run(what, argv, options) {
  console.log(`\n$ ${argv.join(' ')}`);
  const [program, ...args] = argv;
  const { status } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${what} failed with status ${status}`);
}

/** The package `node` installs another one for this platform: in its own folder or beside it. */
function folderWithHeaders(home) {
  const platform = `node-${process.platform}-${process.arch}`;
  const folders = [['node', 'node_modules', platform], [platform], ['node']];
  const found = folders
    .map((names) => join(home, 'node_modules', ...names))
    .find((folder) => existsSync(join(folder, 'include', 'node', 'common.gypi')));
  if (!found) throw new Error(`no headers of Node below ${home}`);
  return found;
}

function testWith(version) {
  const home = join(cache, `node-${version}`);
  mkdirSync(home, { recursive: true });
  run('install of Node', [
    'npm',
    'install',
    '--prefix',
    home,
    '--no-audit',
    '--no-fund',
    `node@${version}`,
  ]);
  const nodeFolder = folderWithHeaders(home);
  const env = {
    ...process.env,
    PATH: `${join(nodeFolder, 'bin')}:${process.env.PATH}`,
    npm_config_nodedir: nodeFolder,
  };
  const copy = join(cache, `copy-${version}`);
  rmSync(copy, { recursive: true, force: true });
  run('copy', ['git', 'clone', '-q', root, copy]);
  const here = { cwd: copy, env };
  run('version', ['node', '--version'], here);
  run('install', ['npm', 'ci', '--no-audit', '--no-fund'], here);
  run('tests', ['npx', 'vitest', 'run', '--project', 'unit'], here);
  run('tests', ['npx', 'vitest', 'run', '--project', 'real', ...TESTS], here);
  rmSync(copy, { recursive: true, force: true });
}

const failed = [];
for (const version of versions) {
  try {
    testWith(version);
  } catch (error) {
    failed.push(`Node ${version}: ${error.message}`);
  }
}
console.log(
  failed.length === 0 ? `\nNode ${versions.join(', ')}: all passed` : `\n${failed.join('\n')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
