import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation } from './conversation.ts';
import type { Parts } from './parts.ts';
import { planner, toolResult } from './transcript-records.ts';
import { resultType } from './turn-context.ts';

interface Result {
  readonly status: 'SUCCESS' | 'ERROR' | 'CANCELED';
  readonly response: string;
  readonly error?: string;
  readonly code: number;
  readonly stderr?: string;
}

const USAGE = {
  ...{ input_tokens: 10, output_tokens: 1, thinking_tokens: 0 },
  ...{ cache_read_tokens: 0, total_tokens: 11 },
};

/** `-p`: one prompt, no terminal. The code alone does not tell how it ended. */
export async function runHeadless(prompt: string, parts: Parts): Promise<number> {
  const { argv, place, knobs } = parts;
  const format = argv.strings['output-format'] ?? 'text';
  if (prompt.startsWith('/hooks')) return printHooks(parts, format);
  if (knobs.signedOut) return failSignIn();
  const conversation = await openConversation(parts);
  const out = new Output(format, conversation.id);
  out.event('init', {
    ...{ model: 'gemini-3.8-flash-high', cwd: place.cwd, tools: ['run_command'] },
    permission_mode: 'request-review',
  });
  const limitMs = durationMs(argv.strings['print-timeout'] ?? '5m');
  const late = sleep(limitMs, undefined, { ref: false }).then(() => TIMED_OUT);
  const result =
    limitMs === 0
      ? TIMED_OUT
      : await Promise.race([answer(prompt, conversation, parts, out), late]);
  out.result(result);
  conversation.close();
  return result.code;
}

const TIMED_OUT: Result = {
  ...{ status: 'ERROR', response: '', error: 'timeout waiting for response', code: 1 },
};

async function openConversation({ argv, place }: Parts): Promise<Conversation> {
  const wanted = argv.strings.conversation;
  if (wanted !== undefined && Conversation.exists(place, wanted)) {
    const conversation = new Conversation(place, wanted);
    await conversation.open();
    return conversation;
  }
  if (wanted !== undefined) process.stderr.write(`warning: conversation "${wanted}" not found\n`);
  return new Conversation(place);
}

async function answer(
  prompt: string,
  conversation: Conversation,
  parts: Parts,
  out: Output,
): Promise<Result> {
  const { knobs, skipsPermissions, script } = parts;
  await conversation.addPrompt(prompt);
  out.step(0, 'user_input', {});
  const hooks = parts.hooks(parts.workspaces);
  await hooks.fire('PreInvocation', conversation, { invocationNum: 0, initialNumSteps: 1 });
  let response = `echo: ${prompt}\n`;
  for (const { word, rest } of script.stepsFor(prompt)) {
    if (word === 'say') response = `${rest}\n`;
    else if (word === 'slow') await sleep(Number(rest || 1) * 1000);
    else if (word === 'run') {
      out.step(2, 'tool', {
        tool_name: 'run_command',
        tool_info: { parameters: { CommandLine: rest } },
      });
      if (!skipsPermissions) return denied(parts);
      const type = resultType(knobs, 'RUN_COMMAND');
      conversation.add((step, now) =>
        toolResult(step, type, now, 'The command exited with code 0.'),
      );
    }
  }
  conversation.add((step, now) => planner(step, now, { content: response.trimEnd() }));
  out.step(3, 'agent_response', { text_delta: response, usage: USAGE });
  await hooks.fire('Stop', conversation, {
    ...{ executionNum: 0, terminationReason: 'NO_TOOL_CALL', fullyIdle: true, error: '' },
  });
  return { status: 'SUCCESS', response, code: 0 };
}

/** Sources disagree about a tool that needed permission: each way by a variable. */
function denied({ knobs }: Parts): Result {
  const said = 'jetski: no output produced — a tool required the "command" permission';
  if (knobs.headlessDeny === 'success') return { status: 'SUCCESS', response: '', code: 0 };
  if (knobs.headlessDeny === 'canceled')
    return { status: 'CANCELED', response: '', code: 0, stderr: `${said}\n` };
  return { status: 'ERROR', response: '', error: said, code: 1 };
}

function printHooks(parts: Parts, format: string): number {
  const names = parts.hooks(parts.workspaces).names;
  const result = { event: 'command_result', command_result: { command: '/hooks', hooks: names } };
  process.stdout.write(format === 'text' ? `${names.join('\n')}\n` : `${JSON.stringify(result)}\n`);
  return 0;
}

function failSignIn(): number {
  process.stderr.write('https://accounts.example.invalid/o/oauth2/auth\n');
  process.stderr.write(
    'Waiting for authentication (timeout 60s)...\nError: authentication timed out.\n',
  );
  return 1;
}

/** A Go duration of one unit. */
function durationMs(text: string): number {
  const [, count = '0', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const factors = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(count) * factors[unit as keyof typeof factors];
}

/** `text`: the answer alone; `json`: the result object; `stream-json`: a line for each event. */
class Output {
  readonly #format: string;
  readonly #id: string;

  constructor(format: string, id: string) {
    this.#format = format;
    this.#id = id;
  }

  event(name: string, body: Readonly<Record<string, unknown>>): void {
    if (this.#format !== 'stream-json') return;
    const id = name === 'init' ? { conversation_id: this.#id } : {};
    process.stdout.write(`${JSON.stringify({ event: name, ...id, [name]: body })}\n`);
  }

  step(index: number, type: string, own: Readonly<Record<string, unknown>>): void {
    const common = { conversation_id: this.#id, step_index: index, step_type: type };
    if (type === 'tool') this.event('step_update', { ...common, state: 'ACTIVE', ...own });
    this.event('step_update', { ...common, state: 'DONE', ...own });
  }

  result({ code: _code, stderr = '', ...said }: Result): void {
    process.stderr.write(stderr);
    if (this.#format === 'text') {
      process.stdout.write(said.response);
      if (said.error !== undefined) process.stderr.write(`Error: ${said.error}\n`);
      return;
    }
    const body = {
      conversation_id: this.#id,
      ...said,
      duration_seconds: 0.1,
      num_turns: 1,
      usage: USAGE,
    };
    if (this.#format === 'json') process.stdout.write(`${JSON.stringify(body)}\n`);
    else this.event('result', body);
  }
}
