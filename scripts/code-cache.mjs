// Gives a bundle its compiled code beside it: a short command spends a tenth of its time on compiling.
//
// `NAME.js` becomes a loader of `NAME.code.js` with `NAME.code.js.cache`. V8 takes a cache only of its own
// version and of the same source; any other is set aside, and the bundle is compiled as without one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As node wraps a CommonJS module. */
const OPEN = '(function(exports,require,module,__filename,__dirname){';
const CLOSE = '\n})';

/** Runs `code` of the folder `dir` as the module at hand; leaves `script` and `cached`. */
const load = (dir, code) => `const{readFileSync}=require('node:fs'),{Script}=require('node:vm');
const filename=${dir}+${JSON.stringify(`/${code}`)},cached=filename+'.cache';
let cachedData;try{cachedData=readFileSync(cached)}catch{}
const source=${JSON.stringify(OPEN)}+readFileSync(filename,'latin1')+${JSON.stringify(CLOSE)};
const script=new Script(source,{filename,cachedData});
script.runInThisContext().call(exports,exports,require,module,filename,${dir});
`;

/**
 * One byte a character: node reads that at once, and V8 keeps half of it. Only regular expressions have
 * other characters after the bundler, and read the escape as the character.
 */
const asciiOf = (text) =>
  text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * @param folder - Where the bundle lies.
 * @param name - For example `readers`.
 * @param calls - What its `run` is called with, one after another in one process, so that what they need is
 *   compiled.
 * @param before, after - Calls of `mam` around them that give them something to do. Without tmux all of
 *   them fail: that leaves less compiled, and nothing wrong.
 */
export function addCodeCache(folder, name, { before = [], calls, after = [] }) {
  const code = `${name}.code.js`;
  writeFileSync(join(folder, code), asciiOf(readFileSync(join(folder, `${name}.js`), 'utf8')));
  writeFileSync(join(folder, `${name}.js`), load('__dirname', code));
  const empty = mkdtempSync(join(tmpdir(), 'mam-build-'));
  // Packages are found from the bundle's folder, not from where this runs.
  const program = `(async (require) => {
    ${load(JSON.stringify(folder), code)}
    const { run } = module.exports;
    for (const argv of ${JSON.stringify(calls)}) process.exitCode ||= await run(argv);
    require('node:fs').writeFileSync(cached, script.createCachedData());
  })(require('node:module').createRequire(${JSON.stringify(join(folder, code))}))`;
  const env = { PATH: process.env.PATH, HOME: empty, TMUX_TMPDIR: empty, LANG: 'C.UTF-8' };
  const options = { cwd: empty, env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' };
  const node = (...words) => spawnSync(process.execPath, words, options);
  const mam = (argv) => node(join(folder, 'mam.js'), ...argv);
  before.forEach(mam);
  const { status, stderr } = node('-e', program);
  after.forEach(mam);
  rmSync(empty, { recursive: true });
  const hasTmux = spawnSync('tmux', ['-V'], { env }).status === 0;
  const isMade = existsSync(join(folder, `${code}.cache`)) && (status === 0 || !hasTmux);
  if (!isMade) throw new Error(`no code cache for ${name} (${status}): ${stderr}`);
}
