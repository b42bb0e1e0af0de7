// Gives a bundle its compiled code beside it: a short reader spends a tenth of its time on compiling.
//
// `NAME.js` becomes a loader of `NAME.code.js` with `NAME.code.js.cache`. V8 takes a cache only of its own
// version and of the same source; any other is set aside, and the bundle is compiled as without one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As node wraps a CommonJS module. */
const OPEN = '(function(exports,require,module,__filename,__dirname){';
const CLOSE = '\n})';

/** Runs `code` of the folder `dir` as the module at hand; leaves `script` and `cached`. */
const load = (dir, code) => `const{readFileSync}=require('node:fs'),{Script}=require('node:vm');
const filename=${dir}+${JSON.stringify(`/${code}`)},cached=filename+'.cache';
let cachedData;try{cachedData=readFileSync(cached)}catch{}
const source=${JSON.stringify(OPEN)}+readFileSync(filename,'utf8')+${JSON.stringify(CLOSE)};
const script=new Script(source,{filename,cachedData});
script.runInThisContext().call(exports,exports,require,module,filename,${dir});
`;

/**
 * @param folder - Where the bundle lies.
 * @param name - For example `readers`.
 * @param argv - What its `run` is called with once, so that what that needs is compiled.
 * @param before, after - Calls of `mam` around it that give it something to do. One that fails (no tmux
 *   here) leaves less compiled, and nothing wrong.
 */
export function addCodeCache(folder, name, { before, argv, after }) {
  const code = `${name}.code.js`;
  renameSync(join(folder, `${name}.js`), join(folder, code));
  writeFileSync(join(folder, `${name}.js`), load('__dirname', code));
  const empty = mkdtempSync(join(tmpdir(), 'mam-build-'));
  // Packages are found from the bundle's folder, not from where this runs.
  const program = `((require) => {
    ${load(JSON.stringify(folder), code)}
    module.exports.run(${JSON.stringify(argv)}).then((exit) => {
      require('node:fs').writeFileSync(cached, script.createCachedData());
      process.exitCode = exit;
    });
  })(require('node:module').createRequire(${JSON.stringify(join(folder, code))}))`;
  const env = { PATH: process.env.PATH, HOME: empty, TMUX_TMPDIR: empty, LANG: 'C.UTF-8' };
  const options = { cwd: empty, env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' };
  const node = (...words) => spawnSync(process.execPath, words, options);
  const prepared = node(join(folder, 'mam.js'), ...before).status === 0;
  const { status, stderr } = node('-e', program);
  node(join(folder, 'mam.js'), ...after);
  rmSync(empty, { recursive: true });
  const isMade = existsSync(join(folder, `${code}.cache`)) && (status === 0 || !prepared);
  if (!isMade) throw new Error(`no code cache for ${name} (${status}): ${stderr}`);
}
