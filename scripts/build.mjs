// Bundles the CLI, the library and the demo agent into dist/.
//   node scripts/build.mjs            dist/ (shipped)
//   node scripts/build.mjs --crash    dist-crash/ (tests only: keeps the places where a test stops the process)
// --outdir DIR puts it elsewhere below this folder, where packages are found.
//
// Programs are CommonJS: node starts them in less time than ES modules, and one file is read faster than
// twenty. What a command does not use is not run: esbuild wraps what is imported with `await import`.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { addCodeCache } from './code-cache.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const crash = process.argv.includes('--crash');
const at = process.argv.indexOf('--outdir');
const outdir = resolve(root, at > 0 ? process.argv[at + 1] : crash ? 'dist-crash' : 'dist');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  external: ['better-sqlite3'],
  // Its CommonJS form hides what it asks for from a bundler.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: {
    __MAM_CRASH_POINTS__: String(crash),
    __MAM_VERSION__: JSON.stringify(version),
  },
};

const program = {
  ...common,
  format: 'cjs',
  // `import()` becomes `require()`: the ES module loader is never started.
  supported: { 'dynamic-import': false },
  define: { ...common.define, 'import.meta.url': '__importMetaUrl' },
  banner: { js: "const __importMetaUrl=require('node:url').pathToFileURL(__filename).href;" },
};

/**
 * Modules that become files of their own, asked for when they are used: `--version` and `--help` read one
 * small file, `status` another, and the YAML library is read only where there is YAML to read.
 */
const parts = {
  'src/cli/entry-all.ts': 'cli.js',
  'src/cli/entry-readers.ts': 'readers.js',
  'src/cli/parser.ts': 'parser.js',
  'src/drivers/yaml/config-parser.ts': 'config-parser.js',
  'src/drivers/yaml/agent-card-parser.ts': 'agent-card-parser.js',
  'src/app/face-fallback.ts': 'face-fallback.js',
  execa: 'execa.js',
};
const separateParts = {
  name: 'separate-parts',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\/.*\.ts$|^execa$/ }, ({ path, resolveDir, kind }) => {
      const file = parts[path] ?? parts[relative(root, resolve(resolveDir, path))];
      return file && kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined;
    }),
};

/**
 * Commands carry better-sqlite3's JavaScript in their own bundle: fourteen files less to find, and
 * compiled beforehand with the rest. Its compiled library is asked for where npm builds it; the package's
 * own search, which fails at a dozen other places first, only when it is not there.
 */
const findLibrary = `
  const { dirname } = require('node:path');
  module.exports = (name) => {
    const package = require.resolve('better-sqlite3/package.json');
    try {
      return require(dirname(package) + '/build/Release/' + name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
      return require('node:module').createRequire(package)('bindings')(name);
    }
  };`;
const sqliteInside = {
  name: 'sqlite-inside',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'sqlite' }));
    onLoad({ filter: /.*/, namespace: 'sqlite' }, () => ({ contents: findLibrary }));
  },
};

/** Started, not imported: the monitor's thread, and the demo agent. */
const programs = {
  'src/daemon/monitor.ts': 'monitor.js',
  'src/demo-agent/main.ts': 'demo-agent.js',
};

/** What is run by most commands, compiled beforehand. */
const compiled = {
  plugins: [separateParts, sqliteInside],
  external: ['better-sqlite3/package.json'],
};

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
writeFileSync(`${outdir}/package.json`, '{"type":"commonjs"}\n');
await Promise.all([
  build({
    ...program,
    entryPoints: ['src/cli/main.ts'],
    outfile: `${outdir}/mam.js`,
    plugins: [separateParts],
    banner: { js: '#!/usr/bin/env node' },
  }),
  ...Object.entries(parts).map(([source, file]) =>
    build({
      ...program,
      entryPoints: [source],
      outfile: `${outdir}/${file}`,
      plugins: [separateParts],
      ...(['readers.js', 'cli.js'].includes(file) ? compiled : {}),
    }),
  ),
  ...Object.entries(programs).map(([source, file]) =>
    build({ ...program, entryPoints: [source], outfile: `${outdir}/${file}` }),
  ),
  build({
    ...common,
    format: 'esm',
    entryPoints: ['src/app/index.ts'],
    outfile: `${outdir}/lib.mjs`,
    // Packages written as CommonJS ask for node's own modules by require.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  }),
]);
cpSync(`${root}/src/assets`, `${outdir}/assets`, { recursive: true });
const create = ['create', 'first', '--agent', 'demo', '--role', 'worker'];
const stop = ['stop', 'first', '--grace-ms', '0'];
addCodeCache(outdir, 'readers', { before: [create], calls: [['status', '--json']], after: [stop] });
addCodeCache(outdir, 'cli', { calls: [create, ['send', 'first', 'hello'], stop] });
chmodSync(`${outdir}/mam.js`, 0o755);
