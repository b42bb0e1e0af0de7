// Records the golden screens of `agy` anew, from its stand-in (docs/testing.md).
//   node scripts/record-agy-screens.mjs [PART OF A SCENE'S NAME]
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, '.cache', 'record-agy-screens.mjs');
buildSync({
  absWorkingDir: root,
  entryPoints: ['test/support/stand-ins/agy/record-screens.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
const { recordScreens } = await import(pathToFileURL(outfile).href);
const count = await recordScreens(root, process.argv[2]);
process.stdout.write(`${count} screens\n`);
