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
 * OpenAI responses, as far as Codex uses them.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponses: ModelProtocol = {
  name: 'openai-responses',
  matches: (method, path) => method === 'POST' && path.endsWith('/responses'),
  parse,
  answer,
  fail: (response, status) => sendJson(response, status, errorBody(`fake error ${status}`)),
  limit,
  other: listModels,
};

function parse(body: unknown): Conversation {
  const request = asObject(body);
  const { input } = request;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asArray(input);
  return {
    model: String(request.model ?? ''),
    stream: request.stream === true,
    system: String(request.instructions ?? ''),
    tools: asArray(request.tools).map((tool) => {
      const { name, type } = asObject(tool);
      return String(name ?? type ?? '');
    }),
    turns: items.map(asObject).flatMap(toTurn),
  };
}

const RESULTS = ['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'];

function toTurn(item: Json): readonly Turn[] {
  const type = String(item.type ?? 'message');
  if (RESULTS.includes(type)) return [{ role: 'tool', text: textOf(item.output) }];
  const role = (['user', 'assistant'] as const).find((known) => known === item.role);
  if (type !== 'message' || role === undefined) return [];
  // Codex puts its own context beside what was typed, each in a part of its own.
  const parts = asArray(item.content).map((part) => textsOf([part]));
  const texts = typeof item.content === 'string' ? [item.content] : parts;
  const own = texts.filter((text) => !CONTEXT.test(text.trim()));
  return own.length === 0 ? [] : [{ role, text: own.join('\n') }];
}

const CONTEXT = /^(?:# AGENTS\.md |<(?:environment_context|user_instructions|permissions)\b)/;

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : textsOf(output);
}

async function answer(response: ServerResponse, { model, stream }: Conversation, reply: Reply) {
  const { step } = reply;
  const item = step.kind === 'say' ? message(step.text) : call(step);
  const base = { id: newId('resp_'), object: 'response', created_at: 0, model };
  const usage = {
    ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 0 } },
    ...{ output_tokens: 10, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 20 },
  };
  const open = { ...base, status: 'in_progress', output: [], error: null, usage: null };
  const whole = { ...base, status: 'completed', output: [item], error: null, usage };
  if (!stream) return sendJson(response, 200, whole);
  const sendEvent = openEventStream(response);
  let sequence = 0;
  const send = (type: string, own: Json) =>
    sendEvent({ type, ...own, sequence_number: sequence++ }, type);
  const place = { output_index: 0, item_id: item.id };
  send('response.created', { response: open });
  const begun = { ...item, status: 'in_progress' };
  if (step.kind === 'say') {
    send('response.output_item.added', { output_index: 0, item: { ...begun, content: [] } });
    const part = { ...place, content_index: 0 };
    const empty = { type: 'output_text', text: '', annotations: [] };
    send('response.content_part.added', { ...part, part: empty });
    for await (const delta of pieces(step.text, reply)) {
      send('response.output_text.delta', { ...part, delta });
    }
    send('response.output_text.done', { ...part, text: step.text });
    send('response.content_part.done', { ...part, part: { ...empty, text: step.text } });
  } else {
    send('response.output_item.added', { output_index: 0, item: { ...begun, arguments: '' } });
    const { arguments: words } = item as Json;
    send('response.function_call_arguments.delta', { ...place, delta: words });
    send('response.function_call_arguments.done', { ...place, arguments: words });
  }
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: whole });
  response.end();
}

function message(text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { id: newId('msg_'), type: 'message', role: 'assistant', status: 'completed', content };
}

function call(step: Exclude<Step, { kind: 'say' }>) {
  const [name, input] = namedCall(step);
  const named = { call_id: newId('call_'), name, arguments: JSON.stringify(input) };
  return { id: newId('fc_'), type: 'function_call', status: 'completed', ...named };
}

/** A command of the test is one that Codex must ask for. */
function namedCall(step: Exclude<Step, { kind: 'say' }>): [string, unknown] {
  switch (step.kind) {
    case 'bash': {
      const asks = { sandbox_permissions: 'require_escalated', justification: 'the test wants it' };
      return ['exec_command', { cmd: step.command, ...asks }];
    }
    case 'write':
      return ['exec_command', { cmd: `printf %s '${step.content}' > '${step.path}'` }];
    case 'tool':
      return [step.name, step.input];
  }
}

function errorBody(words: string, type = 'server_error', code: string | null = null): Json {
  return { error: { message: words, type, param: null, code } };
}

const PLAN_RESETS_AT_S = 1_900_000_000;

/** `rate` (requests of a minute) and `plan` (what a plan has used up). */
function limit(response: ServerResponse, kind: string): boolean {
  if (kind === 'rate') {
    const words = 'Rate limit reached on requests per min (RPM). Please try again in 1s.';
    const body = errorBody(words, 'requests', 'rate_limit_exceeded');
    sendJson(response, 429, body, { 'retry-after': '1' });
    return true;
  }
  if (kind !== 'plan') return false;
  const error = {
    ...{ type: 'usage_limit_reached', message: 'The usage limit has been reached' },
    ...{ plan_type: 'plus', resets_at: PLAN_RESETS_AT_S },
  };
  sendJson(response, 429, { error });
  return true;
}

function listModels(response: ServerResponse, method: string, path: string): boolean {
  if (method !== 'GET' || !path.endsWith('/models')) return false;
  const data = [{ id: 'fake-model', object: 'model', created: 0, owned_by: 'fake' }];
  sendJson(response, 200, { object: 'list', data, models: [] });
  return true;
}
