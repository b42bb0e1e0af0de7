import type { ServerResponse } from 'node:http';
import type { Script, Step } from './script.ts';

/** One turn as the model sees it. A tool's result is a turn of its own. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly text: string;
}

/** What a request says, whatever the provider's form. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  /** Names of the tools offered; empty for side requests such as titles. */
  readonly tools: readonly string[];
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** Set when the answer must be JSON of this form. */
  readonly schema?: Json;
}

export interface Reply {
  readonly step: Step;
  readonly script: Script;
  /** Waits, or ends early when the client went away. */
  pause(ms: number): Promise<void>;
}

/** One provider's API. A further provider is a further file and one line in `server.ts`. */
export interface ModelProtocol {
  readonly name: string;
  /** True for the requests that ask the model for an answer. */
  matches(method: string, path: string): boolean;
  parse(body: unknown, path: string): Conversation;
  /** Writes the whole response and ends it. */
  answer(response: ServerResponse, conversation: Conversation, reply: Reply): Promise<void>;
  fail(response: ServerResponse, status: number): void;
  /** False when the provider has no such limit. */
  limit(response: ServerResponse, kind: string): boolean;
  /** Answers other requests of the same API, such as the list of models. */
  other(response: ServerResponse, method: string, path: string): boolean;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Server-sent events; `event` is the name of each. */
export function openEventStream(
  response: ServerResponse,
): (event: string, data: Record<string, unknown>) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (event, data) => {
    response.write(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`);
  };
}

/** Pieces of an answer: whole, or a few characters each when it is to be streamed slowly. */
export function pieces(text: string, slow: boolean): readonly string[] {
  return slow ? (text.match(/[\s\S]{1,6}/gu) ?? ['']) : [text];
}

export type Json = Readonly<Record<string, unknown>>;

/** An empty one for anything else. */
export function asObject(value: unknown): Json {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Json) : {};
}

/** An empty one for anything else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
