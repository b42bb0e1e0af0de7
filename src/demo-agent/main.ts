import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type AgentParts, DemoAgent } from './agent.ts';
import { Conversation, conversationFile, findMessages } from './conversation.ts';
import { HELP } from './help.ts';
import { demoHome, writeJson } from './home.ts';
import { HookRunner, loadHooks } from './hook-runner.ts';
import { type DemoOptions, parseOptions } from './options.ts';
import { startTree } from './process-tree.ts';
import { Session } from './session.ts';
import { TruthLog } from './truth-log.ts';
import { VERSION } from './version.ts';

/** Why the program ends before it has shown anything. */
class StartRefused extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof StartRefused)) throw error;
  console.error(error.message);
  process.exitCode = error.status;
});

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--version')) console.log(`demo-agent ${VERSION}`);
  else if (argv.includes('--help')) console.log(HELP);
  else if (argv[0] === 'auth') printAuthStatus(argv.slice(1));
  else await startAgent(readOptions(argv));
}

function printAuthStatus(words: readonly string[]): void {
  if (words.join(' ') !== 'status')
    throw new StartRefused('Error: only `auth status` is known.', 2);
  const loggedIn = process.env.DEMO_LOGGED_OUT !== '1';
  console.log(JSON.stringify({ loggedIn }));
  process.exitCode = loggedIn ? 0 : 1;
}

function readOptions(argv: readonly string[]): DemoOptions {
  return refusing(2, () => parseOptions(argv));
}

async function startAgent(options: DemoOptions): Promise<void> {
  const { envDump, crashOnStart, resume, exitOnResume } = options;
  if (envDump !== undefined) writeJson(envDump, process.env);
  if (crashOnStart !== undefined) throw new StartRefused('crashed on start', crashOnStart);
  if (resume !== undefined && exitOnResume !== undefined) throw new StartRefused(exitOnResume, 1);
  const home = demoHome(process.env);
  const parts = gatherParts(options, home);
  if (options.tree) await startTree(home);
  await new DemoAgent(parts).start();
}

function gatherParts(options: DemoOptions, home: string): AgentParts {
  const cwd = process.cwd();
  const commands = refusing(1, () => loadHooks(options.settings));
  const known = options.resume === undefined ? undefined : findMessages(home, options.resume);
  const id = chooseId(options, home, known !== undefined);
  return {
    options,
    home,
    cwd,
    session: new Session({
      home,
      cwd,
      permissions: options.permissions,
      conversation: new Conversation(home, cwd, id, known),
      hooks: new HookRunner(options.hooks ? commands : new Map()),
      truth: new TruthLog(home, id),
    }),
    resumed: known !== undefined,
    ...(options.resume === undefined || known !== undefined
      ? {}
      : { warning: `Warning: no conversation ${options.resume}; started a new one` }),
  };
}

function chooseId(options: DemoOptions, home: string, found: boolean): string {
  const { resume, sessionId } = options;
  if (resume !== undefined && found) return resume;
  if (resume !== undefined && options.unknownResume === 'error')
    throw new StartRefused(`No conversation found with session ID: ${resume}`, 1);
  if (sessionId !== undefined && existsSync(conversationFile(home, sessionId)))
    throw new StartRefused(`Error: Session ID ${sessionId} is already in use.`, 1);
  return sessionId ?? randomUUID();
}

function refusing<T>(status: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartRefused(`Error: ${error instanceof Error ? error.message : error}`, status);
  }
}
