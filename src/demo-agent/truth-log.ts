import { join } from 'node:path';
import { appendJsonLine } from './home.ts';

export interface Submission {
  /** `empty`: Enter on an empty composer, which submits nothing. */
  readonly mode: 'prompt' | 'command' | 'shell' | 'empty';
  readonly text: string;
  /** Of a command: what follows its name. */
  readonly args?: string;
}

/**
 * What was really submitted, one line each: the ground truth that tests compare with what mam
 * believes. Named after the conversation the launch started with, whatever comes later.
 */
export class TruthLog {
  readonly #file: string;
  #seq = 0;

  constructor(home: string, startConversationId: string) {
    this.#file = join(home, 'truth', `${startConversationId}.jsonl`);
  }

  /** Durable when it returns, as far as this process is concerned. `seq` counts from 1. */
  add(conversationId: string, submission: Submission): void {
    this.#seq++;
    appendJsonLine(this.#file, {
      at: new Date().toISOString(),
      pid: process.pid,
      conversation_id: conversationId,
      seq: this.#seq,
      ...submission,
    });
  }
}
