import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { appendJsonLine, findText, parseObject } from './home.ts';

export interface Message {
  readonly type: 'user' | 'assistant';
  readonly text: string;
}

/** The conversation that the agent is in, and its file, which appears with the first prompt only. */
export class Conversation {
  readonly #home: string;
  readonly #cwd: string;
  #id: string;
  #messages: Message[];

  constructor(home: string, cwd: string, id: string, messages: readonly Message[] = []) {
    this.#home = home;
    this.#cwd = cwd;
    this.#id = id;
    this.#messages = [...messages];
  }

  get id(): string {
    return this.#id;
  }

  get file(): string {
    return conversationFile(this.#home, this.#id);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The user's messages so far, oldest first. */
  get prompts(): string[] {
    return this.#messages.flatMap((each) => (each.type === 'user' ? [each.text] : []));
  }

  /** Stores a message; the first one makes the file. */
  add(message: Message): void {
    const at = new Date().toISOString();
    if (this.#messages.length === 0)
      appendJsonLine(this.file, { type: 'meta', id: this.#id, cwd: this.#cwd, created_at: at });
    this.#messages.push(message);
    appendJsonLine(this.file, { ...message, at });
  }

  /** Goes on under a new id; the old file stays. */
  restart(): void {
    this.#id = randomUUID();
    this.#messages = [];
  }
}

export function conversationFile(home: string, id: string): string {
  return join(home, 'conversations', `${id}.jsonl`);
}

/** Messages of a stored conversation, oldest first; `undefined` when there are none to be read. */
export function findMessages(home: string, id: string): Message[] | undefined {
  const messages = (findText(conversationFile(home, id)) ?? '').split('\n').flatMap((line) => {
    const value = parseObject(line);
    const type = value?.type;
    if (type !== 'user' && type !== 'assistant') return [];
    return typeof value?.text === 'string' ? [{ type, text: value.text } as const] : [];
  });
  return messages.length > 0 ? messages : undefined;
}
