// Figures as ratios in one run, each beside its limit or peer (docs/performance.md).
//   npm run bench                 everything, about two minutes
//   npm run bench -- start        one of: start, status, monitor, writers, send
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
const MONITOR_S = Number(process.env.MAM_BENCH_MONITOR_S ?? 60);
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
/** As whoever asks has it: certificates and options that make node itself start more slowly. */
const callersEnv = { ...process.env, ...env };

function timed(argv, its = env) {
  const from = performance.now();
  const { status } = spawnSync(process.execPath, argv, { cwd, env: its, stdio: 'ignore' });
  const ms = performance.now() - from;
  if (status !== 0) throw new Error(`${argv.join(' ')} → ${status}`);
  return ms;
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

/** Median of the pairwise ratio of a command to `node -e 0`. */
function ratio(argv, its) {
  timed(argv, its);
  const pairs = Array.from({ length: PAIRS }, () => [timed(argv, its), timed(['-e', '0'], its)]);
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

function reportRatio(what, argv, budget, limit, its) {
  const { ratio: value, ms, baseMs } = ratio(argv, its);
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
  const what = `mam status, ${SESSIONS} running sessions`;
  const argv = [mam, 'status', '--json'];
  reportRatio(what, argv, 1.7, 'lazy bundle 1.35-1.5');
  reportRatio(`${what}, caller's environment`, argv, 1.7, 'lazy bundle 1.35-1.5', callersEnv);
  await run(['stop', '--all', '--grace-ms', '0']);
}

/** CPU that processes have used, milliseconds. */
function cpuOf(pids) {
  const ticks = pids.map((pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of children that have ended: fields 14 to 17.
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  });
  return ticks.reduce((a, b) => a + b, 0) * 10;
}

const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1000));

/** 100 sessions, 10 of them printing five lines a second, for a minute. */
async function monitor() {
  const names = Array.from({ length: SESSIONS }, (_, i) => `m${i}`);
  for (let at = 0; at < names.length; at += 4) {
    await Promise.all(
      names
        .slice(at, at + 4)
        .map((name) => run(['create', name, '--agent', 'demo', '--role', 'worker'])),
    );
  }
  const { sessions: all, tmux } = JSON.parse(await run(['status', '--json']));
  const sessions = all.filter(({ status }) => status === 'running');
  const server = Number(
    spawnSync('tmux', ['-S', tmux.socket, 'display-message', '-p', '#{pid}'], { encoding: 'utf8' })
      .stdout,
  );
  for (const { tmux: place } of sessions.slice(0, 10)) {
    const printing = 'while :; do echo a line of output that is new; sleep 0.2; done';
    spawnSync('tmux', ['-S', tmux.socket, 'split-window', '-d', '-t', place.pane_id, printing]);
  }
  const measure = async (pids) => {
    const before = cpuOf(pids);
    await seconds(MONITOR_S);
    return ((cpuOf(pids) - before) / (MONITOR_S * 1000)) * 100;
  };
  const base = await measure([server]);
  const { pid } = JSON.parse(await run(['monitor', 'start', '--json'])).monitor;
  await seconds(2);
  const own = await measure([pid]);
  const total = own + (await measure([server])) - base;
  const text = `${total.toFixed(2)} % of a core (itself ${own.toFixed(2)} %)`;
  report(
    'monitor, 100 sessions, 10 printing',
    { value: total, text, unit: ' %' },
    2,
    'a process each: 52 %',
  );
  await noticing(sessions.slice(20, 50));
  await run(['monitor', 'stop']);
  await run(['stop', '--all', '--grace-ms', '0']);
}

/** From the kill of an agent to the line in the monitor's log. */
async function noticing(sessions) {
  const log = join(cwd, '.mam/logs/monitor.log');
  const times = [];
  for (const { name, agent_pid: pid } of sessions) {
    const from = performance.now();
    process.kill(pid, 'SIGKILL');
    while (!readFileSync(log, 'utf8').includes(` A ${name}: `)) {
      if (performance.now() - from > 5_000) throw new Error(`${name} was never noticed`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    times.push(performance.now() - from);
  }
  const p95 = quantile(times, 0.95);
  const text = `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms`;
  report('crash noticed', { value: p95, text, unit: ' ms' }, 100, 'a 1 s poll: p95 1 s');
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

const parts = { start, status, monitor, writers, send };
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
