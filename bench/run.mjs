// Figures as ratios in one run, each beside its limit or peer (docs/performance.md).
//   npm run bench                 everything, about two minutes
//   npm run bench -- start        one of: start, status, writers, send
// Whole commands are timed in turn with `node -e 0` (A B A B …); the ratio is taken pair by pair and its
// median quoted. Single milliseconds of a shared machine say little.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const mam = join(root, 'dist/mam.js');
const PAIRS = Number(process.env.MAM_BENCH_PAIRS ?? 21);
const SESSIONS = Number(process.env.MAM_BENCH_SESSIONS ?? 100);
const WRITERS = 16;
const WRITES_EACH = 75;
const WRITES_PER_SECOND = 25;

const bed = mkdtempSync(join(tmpdir(), 'mam-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: join(bed, 'home'),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  TMUX_TMPDIR: bed,
};
const cwd = join(bed, 'ws');

function timed(argv) {
  const from = performance.now();
  const { status } = spawnSync(process.execPath, argv, { cwd, env, stdio: 'ignore' });
  const ms = performance.now() - from;
  if (status !== 0) throw new Error(`${argv.join(' ')} → ${status}`);
  return ms;
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

/** Median of the pairwise ratio of a command to `node -e 0`. */
function ratio(argv) {
  timed(argv);
  const pairs = Array.from({ length: PAIRS }, () => [timed(argv), timed(['-e', '0'])]);
  return {
    ratio: quantile(
      pairs.map(([a, b]) => a / b),
      0.5,
    ),
    ms: quantile(
      pairs.map(([a]) => a),
      0.5,
    ),
    baseMs: quantile(
      pairs.map(([, b]) => b),
      0.5,
    ),
  };
}

function report(what, found, budget, limit) {
  const met = found.value <= budget ? 'met   ' : 'MISSED';
  console.log(
    `${met}  ${what.padEnd(44)} ${found.text.padEnd(34)} budget ${budget}${found.unit}; ${limit}`,
  );
}

function reportRatio(what, argv, budget, limit) {
  const { ratio: value, ms, baseMs } = ratio(argv);
  const text = `${value.toFixed(2)} × node -e 0 (${ms.toFixed(0)} / ${baseMs.toFixed(0)} ms)`;
  report(what, { value, text, unit: ' ×' }, budget, limit);
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mam, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (out += chunk));
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${args}: ${out}`))));
  });
}

function start() {
  reportRatio('mam --version', [mam, '--version'], 1.5, 'unbundled 2.9, a native peer 2.5');
  reportRatio('mam --help', [mam, '--help'], 1.5, 'unbundled 2.9, a native peer 2.5');
}

async function status() {
  const names = Array.from({ length: SESSIONS }, (_, i) => `s${i}`);
  for (let at = 0; at < names.length; at += 4) {
    const some = names.slice(at, at + 4);
    await Promise.all(
      some.map((name) => run(['create', name, '--agent', 'demo', '--role', 'worker'])),
    );
  }
  reportRatio(
    `mam status, ${SESSIONS} running sessions`,
    [mam, 'status', '--json'],
    1.7,
    'lazy bundle 1.35-1.5',
  );
  await run(['stop', '--all', '--grace-ms', '0']);
}

async function writers() {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['bench/registry-writer.ts'],
    outfile: join(root, 'dist/bench/registry-writer.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3'],
    define: { __MAM_CRASH_POINTS__: 'false' },
    logLevel: 'warning',
  });
  for (const durability of ['normal', 'full']) {
    const path = join(bed, `${durability}.db`);
    const one = (...args) =>
      new Promise((resolve, reject) => {
        const argv = [join(root, 'dist/bench/registry-writer.mjs'), path, durability, ...args];
        const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
        let out = '';
        child.stdout.on('data', (chunk) => (out += chunk));
        child.on('close', (code) =>
          code === 0 ? resolve(JSON.parse(out)) : reject(new Error(String(code))),
        );
      });
    await one('make');
    const rate = String(WRITES_PER_SECOND);
    const all = await Promise.all(
      Array.from({ length: WRITERS }, () => one('write', String(WRITES_EACH), rate)),
    );
    const { count } = await one('read');
    const times = all.flatMap(({ ms }) => ms);
    const busy = all.reduce((sum, found) => sum + found.busy, 0);
    const lost = WRITERS * WRITES_EACH - busy - count;
    const p99 = quantile(times, 0.99);
    const text = `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${p99.toFixed(1)} ms; lost ${lost}, busy ${busy}`;
    const what = `${WRITERS} writers × ${WRITES_PER_SECOND}/s, synchronous=${durability}`;
    const limit =
      durability === 'normal'
        ? '2.8 ms measured; the monitor writes so'
        : 'fdatasync in each; commands write so';
    if (durability === 'normal') {
      report(
        what,
        { value: lost + busy > 0 ? Number.POSITIVE_INFINITY : p99, text, unit: ' ms p99' },
        50,
        limit,
      );
    } else console.log(`figure  ${what.padEnd(44)} ${text.padEnd(34)} no budget; ${limit}`);
  }
}

async function send() {
  await run(['create', 'send', '--agent', 'demo', '--role', 'worker']);
  // The card's pause between paste and Enter is the agent's, not ours.
  const { ms, baseMs, ratio: value } = ratio([mam, 'send', 'send', 'hello']);
  const text = `${ms.toFixed(0)} ms, ${value.toFixed(2)} × node -e 0 (${baseMs.toFixed(0)} ms)`;
  console.log(
    `figure  ${'a proven send to an idle agent'.padEnd(44)} ${text.padEnd(34)} no budget; pauses of 100 + 100 ms in it`,
  );
  await run(['stop', 'send', '--grace-ms', '0']);
}

const parts = { start, status, writers, send };
const wanted = process.argv.slice(2).filter((name) => name in parts);

mkdirSync(env.HOME);
mkdirSync(cwd);
const load = readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ');
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${load}, ${PAIRS} pairs`,
);
try {
  await run(['init']);
  for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) await parts[name]();
} finally {
  await run(['stop', '--all', '--grace-ms', '0']).catch(() => undefined);
  rmSync(bed, { recursive: true, force: true });
}
