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
 * Gemini API, as far as Gemini CLI uses it: `:streamGenerateContent?alt=sse` for each turn, and
 * `:generateContent` for its router, whose JSON answer is made from the schema that it sends.
 *
 * @see https://ai.google.dev/api/generate-content
 */
export const gemini: ModelProtocol = {
  name: 'gemini',
  matches: (method, path) => method === 'POST' && ASKS.test(path),
  parse,
  answer,
  fail: (response, status) => sendJson(response, status, errorBody(status, `fake error ${status}`)),
  limit,
  other,
};

const ASKS = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

function parse(body: unknown, path: string): Conversation {
  const request = asObject(body);
  const [, model = '', method = ''] = ASKS.exec(path) ?? [];
  const config = asObject(request.generationConfig);
  const isJson = config.responseMimeType === 'application/json';
  return {
    model,
    stream: method === 'streamGenerateContent',
    system: textsOf(asObject(request.systemInstruction).parts),
    tools: asArray(request.tools)
      .flatMap((tool) => asArray(asObject(tool).functionDeclarations))
      .map((tool) => String(asObject(tool).name ?? '')),
    turns: asArray(request.contents).flatMap((content) => turnsOf(asObject(content))),
    ...(isJson ? { schema: asObject(config.responseJsonSchema ?? config.responseSchema) } : {}),
  };
}

/**
 * Results of tools come in turns of the user's: first, as turns of their own. Files that a prompt named
 * by `@` follow it and are left out.
 */
function turnsOf({ role, parts }: Json): Turn[] {
  const every = asArray(parts).map(asObject);
  const files = every.findIndex(({ text }) => FILES.test(String(text)));
  const all = files === -1 ? every : every.slice(0, files);
  const results = all
    .filter((part) => part.functionResponse !== undefined)
    .map((part): Turn => ({ role: 'tool', text: JSON.stringify(part.functionResponse) }));
  const texts = all
    .filter((part) => typeof part.text === 'string' && part.thought !== true)
    .map(
      (part): Turn => ({
        role: role === 'model' ? 'assistant' : 'user',
        text: String(part.text),
      }),
    );
  return [...results, ...texts];
}

const FILES = /^\n--- Content from referenced files ---/;

async function answer(response: ServerResponse, conversation: Conversation, reply: Reply) {
  const { schema, stream, model } = conversation;
  const step: Step = schema
    ? { kind: 'say', text: JSON.stringify(fromSchema(schema)) }
    : reply.step;
  const chunk = (parts: readonly unknown[], isLast: boolean) => ({
    candidates: [
      { content: { role: 'model', parts }, index: 0, ...(isLast ? { finishReason: 'STOP' } : {}) },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: model,
    responseId: newId('resp_'),
  });
  const calls = step.kind === 'say' ? undefined : [{ functionCall: toCall(step) }];
  if (!stream) {
    const parts = calls ?? [{ text: step.kind === 'say' ? step.text : '' }];
    sendJson(response, 200, chunk(parts, true));
    return;
  }
  const send = openEventStream(response);
  // The last piece says that it is: the client takes an empty one for no answer.
  let text = '';
  for await (const piece of step.kind === 'say' ? pieces(step.text, reply) : []) {
    if (text !== '') send(chunk([{ text }], false));
    text = piece;
  }
  send(chunk(calls ?? [{ text }], true));
  response.end();
}

function toCall(step: Exclude<Step, { kind: 'say' }>) {
  const id = newId('call_');
  switch (step.kind) {
    case 'bash':
      return { id, name: 'run_shell_command', args: { command: step.command, description: 'run' } };
    case 'write':
      return { id, name: 'write_file', args: { file_path: step.path, content: step.content } };
    case 'tool':
      return { id, name: step.name, args: step.input };
  }
}

/** The smallest value that a schema allows, as far as the router's needs it. */
function fromSchema(schema: Json): unknown {
  const { type, properties, items } = schema;
  const [first] = asArray(schema.enum);
  if (first !== undefined) return first;
  switch (String(type).toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(asObject(properties)).map(([key, value]) => [
          key,
          fromSchema(asObject(value)),
        ]),
      );
    case 'array':
      return items === undefined ? [] : [fromSchema(asObject(items))];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 1;
    default:
      return 'text';
  }
}

function other(response: ServerResponse, _method: string, path: string): boolean {
  if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: 10 });
  else return false;
  return true;
}

function errorBody(code: number, message: string): Json {
  return { error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' } };
}

/** `minute` (the client waits by itself) and `day` (it asks), of a key without a bill. */
function limit(response: ServerResponse, kind: string): boolean {
  const seconds = { minute: 7, day: 40_800 }[kind];
  if (seconds === undefined) return false;
  const period = kind === 'day' ? 'PerDay' : 'PerMinute';
  const message = `You exceeded your current quota.\nPlease retry in ${seconds}s.`;
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [
        {
          quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
          quotaId: `GenerateRequests${period}PerProjectPerModel-FreeTier`,
          quotaValue: '100',
        },
      ],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
  ];
  const error = { ...asObject(errorBody(429, message).error), details };
  sendJson(response, 429, { error });
  return true;
}
