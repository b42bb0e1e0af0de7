import { randomUUID } from 'node:crypto';
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

/** Server-sent events without names. @returns What sends one. */
export function openEventStream(response: ServerResponse): (data: unknown, event?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data, event) => {
    const name = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${name}data: ${JSON.stringify(data)}\n\n`);
  };
}

/** Pieces of an answer as they come: whole, or a few characters each when it is to be streamed slowly. */
export async function* pieces(text: string, { script, pause }: Reply): AsyncGenerator<string> {
  const { chunkDelayMs } = script;
  const all = chunkDelayMs > 0 ? (text.match(/[\s\S]{1,6}/gu) ?? ['']) : [text];
  for (const piece of all) {
    if (chunkDelayMs > 0) await pause(chunkDelayMs);
    yield piece;
  }
}

/** Texts of a content's parts, one below the other. */
export function textsOf(parts: unknown): string {
  return asArray(parts)
    .map((part) => (typeof part === 'string' ? part : asObject(part).text))
    .filter((text): text is string => typeof text === 'string')
    .join('\n');
}

export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '').slice(0, 24);
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
