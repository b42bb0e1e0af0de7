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
 * Anthropic Messages API, as far as Claude Code uses it: `POST /v1/messages`, `count_tokens`, the list
 * of models and the `HEAD` it sends at start.
 *
 * @see https://docs.anthropic.com/en/api/messages-streaming
 */
export const anthropic: ModelProtocol = {
  name: 'anthropic',
  matches: (method, path) => method === 'POST' && path.endsWith('/v1/messages'),
  parse,
  answer,
  fail: (response, status) => sendJson(response, status, errorBody(status, `fake error ${status}`)),
  limit,
  other,
};

function parse(body: unknown): Conversation {
  const request = asObject(body);
  return {
    model: String(request.model ?? ''),
    stream: request.stream === true,
    system: textOf(request.system),
    tools: asArray(request.tools).map((tool) => String(asObject(tool).name ?? '')),
    turns: asArray(request.messages).flatMap((message) => turnsOf(asObject(message))),
  };
}

/** Claude Code 2.1.332 puts its reminders in turns of role `system` between the others. */
const roles = ['user', 'assistant', 'system'] as const;

/** A user message may hold tool results and text: the results come first, as turns of their own. */
function turnsOf(message: Json): Turn[] {
  const role = roles.find((known) => known === message.role) ?? 'user';
  if (typeof message.content === 'string') return [{ role, text: message.content }];
  const parts = asArray(message.content).map(asObject);
  const results = parts
    .filter((part) => part.type === 'tool_result')
    .map((part): Turn => ({ role: 'tool', text: textOf(part.content) }));
  const texts = parts
    .filter((part) => part.type === 'text')
    .map((part): Turn => ({ role, text: String(part.text ?? '') }));
  return [...results, ...texts];
}

async function answer(response: ServerResponse, conversation: Conversation, reply: Reply) {
  const block = contentBlock(reply.step, conversation.tools);
  const stopReason = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
  const message = {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: conversation.model,
    content: [] as unknown[],
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
  if (!conversation.stream) {
    sendJson(response, 200, { ...message, content: [block], stop_reason: stopReason });
    return;
  }
  const sendEvent = openEventStream(response);
  const send = (type: string, data: Json) => sendEvent({ type, ...data }, type);
  send('message_start', { message });
  await sendBlock(send, block, reply);
  send('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: 20 },
  });
  send('message_stop', {});
  response.end();
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

async function sendBlock(
  send: (type: string, data: Json) => void,
  block: Block,
  reply: Reply,
): Promise<void> {
  const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
  send('content_block_start', { index: 0, content_block: empty });
  if (block.type === 'tool_use') {
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    send('content_block_delta', { index: 0, delta });
  } else {
    for await (const text of pieces(block.text, reply)) {
      send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
    }
  }
  send('content_block_stop', { index: 0 });
}

function contentBlock(step: Step, tools: readonly string[]): Block {
  if (step.kind === 'say') return { type: 'text', text: step.text };
  const id = newId('toolu_');
  switch (step.kind) {
    case 'bash': {
      const input = { command: step.command, description: 'run a command' };
      return { type: 'tool_use', id, name: pick(tools, ['Bash', 'bash']), input };
    }
    case 'write': {
      const input = { file_path: step.path, content: step.content };
      return { type: 'tool_use', id, name: pick(tools, ['Write', 'write']), input };
    }
    case 'tool':
      return { type: 'tool_use', id, name: step.name, input: step.input };
  }
}

function pick(tools: readonly string[], wanted: readonly [string, ...string[]]): string {
  return wanted.find((name) => tools.includes(name)) ?? wanted[0];
}

function other(response: ServerResponse, method: string, path: string): boolean {
  if (method === 'HEAD') response.writeHead(200).end();
  else if (path.endsWith('/messages/count_tokens')) sendJson(response, 200, { input_tokens: 10 });
  else if (path.endsWith('/v1/models')) sendJson(response, 200, { data: [], has_more: false });
  else return false;
  return true;
}

function errorBody(status: number, message: string): Json {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return { type: 'error', error: { type: types[status] ?? 'api_error', message } };
}

/**
 * `short` (lifts after 70 s), `5h` and `7d` are a subscription's limits, told by headers; `key` and
 * `credit` are an API key's.
 */
function limit(response: ServerResponse, kind: string): boolean {
  if (kind === 'credit') {
    const message = 'Your credit balance is too low to access the Anthropic API.';
    sendJson(response, 400, errorBody(400, message));
    return true;
  }
  const message = 'This request would exceed your rate limit. Please try again later.';
  if (kind === 'key') {
    sendJson(response, 429, errorBody(429, message), { 'retry-after': '3600' });
    return true;
  }
  const seconds = { short: 70, '5h': 2 * 3600, '7d': 3 * 86_400 }[kind];
  if (seconds === undefined) return false;
  const reset = String(Math.floor(Date.now() / 1000) + seconds);
  sendJson(response, 429, errorBody(429, message), {
    'retry-after': String(seconds),
    'x-should-retry': 'false',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': kind === '7d' ? 'seven_day' : 'five_hour',
  });
  return true;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : textsOf(content);
}
