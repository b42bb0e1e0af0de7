import { spawn } from 'node:child_process';
import { parseObject } from '../../../../src/demo-agent/home.ts';
import type { Conversation } from './conversation.ts';
import type { HookEventName, LoadedHooks } from './hooks-file.ts';
import type { AgyVersion } from './version.ts';

export interface HookContext {
  readonly files: readonly LoadedHooks[];
  readonly version: AgyVersion;
  readonly modelName: string;
  readonly workspacePaths: readonly string[];
  readonly timeoutMeans: 'open' | 'error';
  log(line: string): void;
}

export type ToolVerdict =
  | { readonly kind: 'go-on' }
  | { readonly kind: 'deny'; readonly reason: string };

interface Ran {
  readonly stdout: string;
  readonly status: number | null;
  readonly timedOut: boolean;
}

const GO_ON: ToolVerdict = { kind: 'go-on' };

/** Runs the commands of hooks files, one after another, each with its event's JSON on standard input. */
export class HookRunner {
  readonly #context: HookContext;

  constructor(context: HookContext) {
    this.#context = context;
  }

  /** Names of one's own under which hooks were loaded. */
  get names(): readonly string[] {
    return this.#context.files.flatMap(({ names }) => names);
  }

  async fire(
    event: HookEventName,
    conversation: Conversation,
    own: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    await this.#runAll(event, conversation, own);
  }

  /** Whether the tool may go on to the user's own policy. */
  async askBeforeTool(
    conversation: Conversation,
    stepIdx: number,
    toolCall: { readonly name: string; readonly args: unknown },
  ): Promise<ToolVerdict> {
    const ran = await this.#runAll('PreToolUse', conversation, { stepIdx, toolCall });
    return ran.map((each) => this.#judge(each)).find(({ kind }) => kind === 'deny') ?? GO_ON;
  }

  /** Up to 1.2 an answer without a decision denies the tool. */
  #judge({ stdout, status, timedOut }: Ran): ToolVerdict {
    if (timedOut)
      return this.#context.timeoutMeans === 'open'
        ? GO_ON
        : { kind: 'deny', reason: 'hook failed: signal: killed' };
    if (status === 1 || status === 2) return { kind: 'deny', reason: `hook failed: ${status}` };
    const { decision, reason } = parseObject(stdout) ?? {};
    if (decision === 'deny') return { kind: 'deny', reason: String(reason ?? '') };
    if (typeof decision === 'string') return GO_ON;
    return this.#context.version.minor >= 3 ? GO_ON : { kind: 'deny', reason: 'no decision' };
  }

  async #runAll(
    event: HookEventName,
    conversation: Conversation,
    own: Readonly<Record<string, unknown>>,
  ): Promise<readonly Ran[]> {
    const { files } = this.#context;
    const input = JSON.stringify({ ...this.#common(conversation), ...own });
    const ran: Ran[] = [];
    for (const { hooks, folder } of files) {
      for (const { command, timeoutS, matcher } of hooks.get(event) ?? []) {
        if (matcher && !matcher.test(toolName(own))) continue;
        const env = this.#environment(conversation);
        ran.push(
          await runCommand(command, { input, cwd: folder, env, timeoutMs: timeoutS * 1000 }),
        );
      }
    }
    return ran;
  }

  /** The event's name is not in it. */
  #common(conversation: Conversation): Readonly<Record<string, unknown>> {
    const { modelName, workspacePaths } = this.#context;
    return {
      artifactDirectoryPath: conversation.folder,
      conversationId: conversation.id,
      modelName,
      transcriptPath: `${conversation.logs}/transcript_full.jsonl`,
      workspacePaths,
    };
  }

  #environment(conversation: Conversation): NodeJS.ProcessEnv {
    return { ...process.env, ...toolEnvironment(conversation, this.#context.version) };
  }
}

/** What tools and hooks get beside the program's own environment. */
export function toolEnvironment(
  { id, trajectoryId }: Conversation,
  { text }: AgyVersion,
): Readonly<Record<string, string>> {
  return {
    ANTIGRAVITY_CONVERSATION_ID: id,
    ANTIGRAVITY_LS_VERSION: `cli-${text}`,
    ANTIGRAVITY_PROJECT_ID: 'default-cli-project',
    ANTIGRAVITY_TRAJECTORY_ID: trajectoryId,
    JETSKI_APP_DATA_DIR: 'antigravity-cli',
  };
}

function toolName({ toolCall }: Readonly<Record<string, unknown>>): string {
  return String((toolCall as { name?: unknown } | undefined)?.name ?? '');
}

function runCommand(
  command: string,
  options: {
    readonly input: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly timeoutMs: number;
  },
): Promise<Ran> {
  const { input, cwd, env, timeoutMs } = options;
  const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let stdout = '';
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const end = (status: number | null) => {
      clearTimeout(timer);
      resolve({ stdout, status, timedOut });
    };
    child.on('error', () => end(null));
    child.on('exit', end);
  });
}
