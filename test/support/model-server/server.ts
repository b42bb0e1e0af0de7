import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { openaiResponses } from './openai-responses.ts';
import { type Conversation, type ModelProtocol, sendJson, type Turn } from './protocol.ts';
import { type Rule, scriptFor, stepFor } from './script.ts';

const protocols: readonly ModelProtocol[] = [anthropic, gemini, openai, openaiResponses];

export interface ModelServerOptions {
  readonly rules?: readonly Rule[];
}

/** One request for an answer, in the order of arrival. */
export interface ModelRequest extends Conversation {
  readonly protocol: string;
  /** The last prompt of the user, without the client's own context blocks. */
  readonly prompt: string;
  /** Turns of the tools since that prompt. */
  readonly toolResults: readonly string[];
  /** A title or another side request: no tools were offered. */
  readonly side: boolean;
}

export interface ModelServer extends AsyncDisposable {
  /** For `ANTHROPIC_BASE_URL` and `GOOGLE_GEMINI_BASE_URL`; with `/v1` for what speaks as OpenAI does. */
  readonly url: string;
  /** Requests for an answer so far, with the whole history that each carried. */
  requests(): readonly ModelRequest[];
  /** `METHOD path` of requests that no protocol knew. */
  unknownRequests(): readonly string[];
  setRules(rules: readonly Rule[]): void;
}

/**
 * A scripted model on a free loopback port. It is steered from inside the prompts (`script.ts`).
 *
 * Other processes may ask `GET /__model/requests` and `POST /__model/rules`.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const state: State = { rules: options.rules ?? [], requests: [], unknown: [] };
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  server.keepAliveTimeout = 1_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => state.requests,
    unknownRequests: () => state.unknown,
    setRules: (rules) => {
      state.rules = rules;
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface State {
  rules: readonly Rule[];
  readonly requests: ModelRequest[];
  readonly unknown: string[];
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse) {
  const method = request.method ?? 'GET';
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  const body = await readBody(request);
  if (path.startsWith('/__model/')) return control(state, method, path, body, response);
  const protocol = protocols.find((candidate) => candidate.matches(method, path));
  if (protocol) return answer(state, protocol, protocol.parse(JSON.parse(body), path), response);
  if (protocols.some((candidate) => candidate.other(response, method, path))) return;
  state.unknown.push(`${method} ${path}`);
  sendJson(response, 404, { error: { type: 'not_found_error', message: `no route ${path}` } });
}

function control(
  state: State,
  method: string,
  path: string,
  body: string,
  response: ServerResponse,
): void {
  if (method === 'POST' && path === '/__model/rules') state.rules = JSON.parse(body) as Rule[];
  sendJson(response, 200, state.requests);
}

async function answer(
  state: State,
  protocol: ModelProtocol,
  conversation: Conversation,
  response: ServerResponse,
): Promise<void> {
  const { prompt, toolResults } = lastPrompt(conversation.turns);
  const side = conversation.tools.length === 0;
  state.requests.push({ ...conversation, protocol: protocol.name, prompt, toolResults, side });
  // A side request quotes the prompt; its directives are meant for the turn itself.
  const script = scriptFor(side ? '' : prompt, state.rules);
  const gone = abortOnClose(response);
  const pause = async (ms: number) => {
    await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
  };
  if (script.hang) return void (await pause(2 ** 31 - 1));
  if (script.delayMs > 0) await pause(script.delayMs);
  if (script.limit !== undefined && protocol.limit(response, script.limit)) return;
  if (script.errorStatus !== undefined) return protocol.fail(response, script.errorStatus);
  const step = stepFor(script, side ? 'side request' : prompt, toolResults.length);
  await protocol.answer(response, conversation, { step, script, pause });
}

/** Blocks that clients add to what the user typed. */
const CLIENT_CONTEXT =
  /<system-reminder>[\s\S]*?<\/system-reminder>|<session_context>[\s\S]*?<\/session_context>|\[Request interrupted[^\]]*\]/g;

function lastPrompt(turns: readonly Turn[]): { prompt: string; toolResults: readonly string[] } {
  const ownText = (turn: Turn) => turn.text.replace(CLIENT_CONTEXT, '').trim();
  const at = turns.findLastIndex((turn) => turn.role === 'user' && ownText(turn) !== '');
  const turn = turns[at];
  const toolResults = turns.slice(at + 1).filter((later) => later.role === 'tool');
  return {
    prompt: turn ? ownText(turn) : '',
    toolResults: toolResults.map((result) => result.text),
  };
}

function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
