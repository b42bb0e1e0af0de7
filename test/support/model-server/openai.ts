import type { ServerResponse } from 'node:http';
import {
  asArray,
  asObject,
  type Conversation,
  type Json,
  type ModelProtocol,
  newId,
  openEventStream,
  pieces,
  type Reply,
  sendJson,
  type Turn,
  textsOf,
} from './protocol.ts';
import type { Step } from './script.ts';

/**
 * OpenAI chat completions, as far as Cline uses them with a provider of the kind "OpenAI compatible".
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const openai: ModelProtocol = {
  name: 'openai',
  matches: (method, path) => method === 'POST' && path.endsWith('/chat/completions'),
  parse,
  answer,
  fail: (response, status) => sendJson(response, status, errorBody(`fake error ${status}`)),
  limit,
  other: () => false,
};

function parse(body: unknown): Conversation {
  const request = asObject(body);
  const messages = asArray(request.messages).map(asObject);
  const isSystem = ({ role }: Json) => role === 'system' || role === 'developer';
  return {
    model: String(request.model ?? ''),
    stream: request.stream === true,
    system: messages.filter(isSystem).map(textOf).join('\n'),
    tools: asArray(request.tools).map((tool) => {
      const { name } = asObject(asObject(tool).function);
      return String(name ?? '');
    }),
    turns: messages.filter((message) => !isSystem(message)).map(toTurn),
  };
}

function toTurn(message: Json): Turn {
  const role = (['assistant', 'tool'] as const).find((known) => known === message.role) ?? 'user';
  return { role, text: textOf(message).replace(FILE, '').replace(USER_INPUT, '$1') };
}

/** Around what was typed, and behind it, put there by Cline. */
const USER_INPUT = /<user_input(?: [^>]*)?>([\s\S]*?)<\/user_input>/g;
const FILE = /\n?<file_content [^>]*>[\s\S]*?<\/file_content>/g;

function textOf({ content }: Json): string {
  return typeof content === 'string' ? content : textsOf(content);
}

async function answer(response: ServerResponse, { model, stream }: Conversation, reply: Reply) {
  const { step } = reply;
  const call = step.kind === 'say' ? undefined : toCall(step);
  const text = step.kind === 'say' ? step.text : null;
  const finish = call ? 'tool_calls' : 'stop';
  const base = { id: newId('chatcmpl-'), created: 0, model };
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  if (!stream) {
    const message = { role: 'assistant', content: text, ...(call ? { tool_calls: [call] } : {}) };
    const choices = [{ index: 0, finish_reason: finish, message }];
    sendJson(response, 200, { ...base, object: 'chat.completion', choices, usage });
    return;
  }
  const sendEvent = openEventStream(response);
  const send = (own: Json) => sendEvent({ ...base, object: 'chat.completion.chunk', ...own });
  const sendDelta = (delta: Json, finished: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finished }] });
  if (call) sendDelta({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] });
  if (text !== null) {
    for await (const content of pieces(text, reply)) sendDelta({ role: 'assistant', content });
  }
  sendDelta({}, finish);
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function toCall(step: Exclude<Step, { kind: 'say' }>) {
  const [name, input] = namedCall(step);
  const fn = { name, arguments: JSON.stringify(input) };
  return { id: newId('call_'), type: 'function', function: fn };
}

function namedCall(step: Exclude<Step, { kind: 'say' }>): [string, unknown] {
  switch (step.kind) {
    case 'bash':
      return ['run_commands', { commands: [step.command] }];
    case 'write':
      return ['editor', { command: 'create', path: step.path, new_text: step.content }];
    case 'tool':
      return [step.name, step.input];
  }
}

function errorBody(message: string, type = 'server_error', code: string | null = null): Json {
  return { error: { message, type, param: null, code } };
}

/** `rate` (requests of a minute) and `quota` (the account's money). */
function limit(response: ServerResponse, kind: string): boolean {
  if (kind === 'rate') {
    const message = 'Rate limit reached on requests per min (RPM). Please try again in 1s.';
    const body = errorBody(message, 'requests', 'rate_limit_exceeded');
    sendJson(response, 429, body, { 'retry-after': '1' });
    return true;
  }
  if (kind !== 'quota') return false;
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  sendJson(response, 429, errorBody(message, 'insufficient_quota', 'insufficient_quota'));
  return true;
}
