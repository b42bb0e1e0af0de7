// Bundles the CLI, the library and the demo agent into dist/.
//   node scripts/build.mjs            dist/ (shipped)
//   node scripts/build.mjs --crash    dist-crash/ (tests only: keeps the places where a test stops the process)
// --outdir DIR puts it elsewhere below this folder, where packages are found.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const crash = process.argv.includes('--crash');
const at = process.argv.indexOf('--outdir');
const outdir = resolve(root, at > 0 ? process.argv[at + 1] : crash ? 'dist-crash' : 'dist');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: {
    __MAM_CRASH_POINTS__: String(crash),
    __MAM_VERSION__: JSON.stringify(version),
  },
};

// Packages written as CommonJS ask for node's own modules by require.
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
await build({
  ...common,
  entryPoints: { mam: 'src/cli/main.ts', lib: 'src/app/index.ts' },
  outdir,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['better-sqlite3'],
  banner: { js: requireBanner },
});
await build({
  ...common,
  entryPoints: { 'demo-agent': 'src/demo-agent/main.ts' },
  outdir,
});
cpSync(`${root}/src/assets`, `${outdir}/assets`, { recursive: true });
const shebang = '#!/usr/bin/env node\n';
writeFileSync(`${outdir}/mam.js`, shebang + readFileSync(`${outdir}/mam.js`, 'utf8'));
chmodSync(`${outdir}/mam.js`, 0o755);
