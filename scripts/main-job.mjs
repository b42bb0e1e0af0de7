// The main job on the built-in demo agent: two sessions, a prompt to each, one stopped and resumed; it
// remembers. Each step is a `mam` command that you could type; what it says is checked.
//   node scripts/main-job.mjs [FOLDER]      default: ./mam-quickstart
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const mam = fileURLToPath(new URL('../dist/mam.js', import.meta.url));
const folder = resolve(process.argv[2] ?? 'mam-quickstart');
const shown = `node ${relative(process.cwd(), mam)}`;
mkdirSync(folder, { recursive: true });

/** Runs one command, shows it and its answer, and ends the job when it failed. */
function step(why, args, expected) {
  console.log(
    `\n# ${why}\n$ mam ${args.map((word) => (/^[\w./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [mam, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (status !== 0 || (expected && !stdout.includes(expected))) {
    console.error(`\nThis step failed (exit ${status}). What is missing: ${shown} doctor`);
    process.exit(status || 1);
  }
  return stdout;
}

const known =
  step('A workspace: what mam knows lies in its .mam folder', ['init']) &&
  json(['status', '--json']);
for (const { name } of known.sessions)
  step('An earlier run left this session', ['stop', name, '--purge-conversation']);

const create = (name, role) => ['create', name, '--agent', 'demo', '--role', role];
step(
  'Two agents, side by side in a tmux server of mam’s own',
  create('writer', 'creator'),
  'Created writer',
);
step('The second', create('critic', 'reviewer'), 'Created critic');
step(
  'A prompt to each: "submitted" is said only with proof',
  ['send', 'writer', 'My word is kiwi'],
  'submitted, proven by hook',
);
step(
  'And to the other, waiting for the answer',
  ['send', 'critic', 'My word is quince', '--wait', 'answered'],
  'quince',
);
step('What runs, and how that is known', ['status'], 'writer');
step('One is stopped', ['stop', 'writer'], 'Stopped writer');
step('And brought back, on exactly its own conversation', ['resume', 'writer'], 'Resumed writer');
step('It remembers', ['send', 'writer', 'recall', '--wait', 'answered'], 'kiwi');
step('Both end; their conversations stay', ['stop', '--all'], 'Stopped');

console.log(`
Done: two agents were started, spoken to with proof, and one was stopped and resumed on its own conversation.

Where to look    ${folder}/.mam/agent-sessions.yaml (what mam knows), ${shown.replace('node ', `node ${process.cwd()}/`)} status in that folder
Go on            cd ${folder} && ${shown.replace('node ', `node ${process.cwd()}/`)} resume writer
A real agent     mam create api --agent claude --role creator --prompt "…"   (mam doctor --agent claude first)
The command mam  npm link`);

function json(args) {
  const { stdout } = spawnSync(process.execPath, [mam, ...args], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(stdout);
}
