// Figures as ratios in one run, each beside its limit or peer (docs/performance.md).
//   npm run bench                 everything, about ten minutes
//   npm run bench -- start        one of: start, status, hook, monitor, writers, send
// Whole commands are timed in turn with `node -e 0` (A B A B …); the ratio is taken pair by pair and its
// median quoted. Single milliseconds of a shared machine say little.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const mam = join(root, 'dist/mam.js');
const PAIRS = Number(process.env.MAM_BENCH_PAIRS ?? 21);
const SESSIONS = Number(process.env.MAM_BENCH_SESSIONS ?? 100);
const MONITOR_S = Number(process.env.MAM_BENCH_MONITOR_S ?? 60);
/** Turns of a monitor over which its memory is compared. */
const TURNS = Number(process.env.MAM_BENCH_TURNS ?? 10_000);
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
  return timedProgram(process.execPath, argv, { env: its, stdio: 'ignore' });
}

function timedProgram(program, argv, options) {
  const from = performance.now();
  const { status } = spawnSync(program, argv, { cwd, ...options });
  const ms = performance.now() - from;
  if (status !== 0) throw new Error(`${program} ${argv.join(' ')} → ${status}`);
  return ms;
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

/** Median of the pairwise ratio of a command to `node -e 0`. */
function ratio(argv, its) {
  return ratioOf(() => timed(argv, its), its);
}

function ratioOf(measure, its) {
  measure();
  const pairs = Array.from({ length: PAIRS }, () => [measure(), timed(['-e', '0'], its)]);
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
  await createAll(Array.from({ length: SESSIONS }, (_, i) => `s${i}`));
  const what = `mam status, ${SESSIONS} running sessions`;
  const argv = [mam, 'status', '--json'];
  // Budget and peer were measured with a node of 76 to 86 ms, as extra certificates make it.
  reportRatio(what, argv, 1.7, 'lazy bundle 1.35-1.5', callersEnv);
  const { socket } = JSON.parse(await run(['status', '--json'])).tmux;
  const floor = [join(root, 'bench/status-floor.cjs'), join(cwd, '.mam/agent-sessions.db'), socket];
  for (const [name, words] of [
    ['the same in a clean environment', argv],
    ['of it node, SQLite and tmux alone', floor],
  ]) {
    const { ratio: value, ms, baseMs } = ratio(words);
    const text = `${value.toFixed(2)} × node -e 0 (${ms.toFixed(0)} / ${baseMs.toFixed(0)} ms)`;
    console.log(`figure  ${name.padEnd(44)} ${text.padEnd(34)} no budget`);
  }
  await run(['stop', '--all', '--grace-ms', '0']);
}

/** One event of an agent: the script of its launch, and the one that the user's settings name. */
function hook() {
  const launch = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const folder = join(cwd, '.mam/run', launch);
  mkdirSync(join(folder, 'spool'), { recursive: true });
  copyFileSync(join(root, 'src/assets/hook.sh'), join(folder, 'hook'));
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  writeFileSync(join(folder, 'agent'), `${process.pid} ${started}\n`);
  const input = JSON.stringify({ hook_event_name: 'PreToolUse', tool_input: 'x'.repeat(2_000) });
  const its = { ...env, MAM_LAUNCH: launch, MAM_WORKSPACE: cwd };
  const run = (program, ...argv) => timedProgram(program, argv, { env: its, input });
  for (const [what, measure] of [
    ['an event by the hook of its launch', () => run('sh', join(folder, 'hook'), 'PreToolUse')],
    [
      'an event by the hook of the user’s settings',
      () => run('sh', join(root, 'src/assets/agent-hook.sh'), 'PreToolUse'),
    ],
    ['of it a program that does nothing', () => run('true')],
  ]) {
    const { ratio: value, ms, baseMs } = ratioOf(measure, its);
    const text = `${value.toFixed(3)} × node -e 0 (${ms.toFixed(1)} / ${baseMs.toFixed(0)} ms)`;
    if (what.startsWith('of it'))
      console.log(`figure  ${what.padEnd(44)} ${text.padEnd(34)} no budget`);
    else report(what, { value, text, unit: ' ×' }, 0.1, 'sh alone 0.04, mosquitto_pub 0.08');
  }
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

async function createAll(names) {
  for (let at = 0; at < names.length; at += 4) {
    const some = names.slice(at, at + 4);
    await Promise.all(
      some.map((name) => run(['create', name, '--agent', 'demo', '--role', 'worker'])),
    );
  }
}

/** A program of this folder, bundled as ours are. */
function bundled(source) {
  const outfile = join(root, 'dist/bench', `${basename(source, '.ts')}.mjs`);
  buildSync({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3'],
    define: { __MAM_CRASH_POINTS__: 'false' },
    // Packages written as CommonJS ask for node's own modules by require.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}

/** What a program of ours answers, as JSON. */
function answerOf(argv) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, argv, { cwd, env, stdio });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`${argv.join(' ')}: ${code}`)),
    );
  });
}

/** 100 sessions, 10 of them printing five lines a second, for a minute. */
async function monitor() {
  await createAll(Array.from({ length: SESSIONS }, (_, i) => `m${i}`));
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
  await noticing(sessions.slice(SESSIONS / 5, SESSIONS / 2));
  await run(['monitor', 'stop']);
  const connection = bundled('bench/control-connection.ts');
  await screens(connection, tmux.socket);
  await run(['stop', '--all', '--grace-ms', '0']);
  await serverDeath(connection);
  await memory();
}

/** All screens of the sessions, over the connection and by a process each, in the same run. */
async function screens(connection, socket) {
  const rounds = await answerOf([connection, 'screens', socket, '9']);
  const middle = (of) => quantile(rounds.map(of), 0.5);
  const control = middle((each) => each.control);
  const share = middle((each) => each.control / each.spawned);
  const what = `all screens of ${SESSIONS} sessions`;
  const text = `${control.toFixed(1)} ms over the connection`;
  report(what, { value: control, text, unit: ' ms' }, 15, '2.8 ms');
  const processes = middle(({ spawned }) => spawned).toFixed(0);
  const apart = `1/${(1 / share).toFixed(0)} of a process each (${processes} ms)`;
  report(what, { value: share, text: apart, unit: ' × (1/30)' }, 0.033, '1/174');
  const [guarded, look] = ['guarded', 'look'].map((way) => middle((each) => each[way]).toFixed(1));
  const others = `guarded ${guarded}, with a whole look ${look} ms`;
  console.log(`figure  ${what.padEnd(44)} ${others.padEnd(34)} no budget; as the product asks`);
}

/** From SIGKILL of the tmux server to the moment the connection tells its end. */
async function serverDeath(connection) {
  const folder = mkdtempSync(join(bed, 'death-'));
  const times = await answerOf([connection, 'death', folder, String(SESSIONS), '30']);
  const [p50, p95] = [0.5, 0.95].map((q) => quantile(times, q));
  const text = `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, most ${Math.max(...times).toFixed(1)} ms`;
  const found = { value: p95, text, unit: ' ms' };
  report(`server of ${SESSIONS} sessions killed, told`, found, 50, '8 ms at most measured');
}

/** What a monitor of a few sessions holds, its garbage taken away, early and late. */
async function memory() {
  await createAll(Array.from({ length: 5 }, (_, i) => `g${i}`));
  const turns = bundled('test/support/workers/monitor-turns.ts');
  const marks = [TURNS / 10, TURNS].map(String);
  const [early, late] = await answerOf(['--expose-gc', turns, cwd, 'tmux', ...marks]);
  const bytes = ({ heapBytes, externalBytes }) => heapBytes + externalBytes;
  const growth = (bytes(late) / bytes(early) - 1) * 100;
  const mb = (held) => (bytes(held) / 1e6).toFixed(2);
  const text = `${growth.toFixed(1)} %: ${mb(early)} → ${mb(late)} MB, files ${early.openFiles} → ${late.openFiles}`;
  const what = `memory from turn ${marks.join(' to ')}`;
  report(what, { value: growth, text, unit: ' %' }, 5, 'nothing is kept of a turn');
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
  const text = `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`;
  report('crash noticed', { value: p95, text, unit: ' ms' }, 100, 'a 1 s poll: p95 1 s');
  const most = Math.max(...times);
  report(
    'crash noticed, at the latest',
    { value: most, text: `${most.toFixed(0)} ms`, unit: ' ms' },
    1_500,
    'the look of each second',
  );
}

async function writers() {
  const writer = bundled('bench/registry-writer.ts');
  for (const durability of ['normal', 'full']) {
    const path = join(bed, `${durability}.db`);
    const one = (...args) => answerOf([writer, path, durability, ...args]);
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

const parts = { start, status, hook, monitor, writers, send };
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
