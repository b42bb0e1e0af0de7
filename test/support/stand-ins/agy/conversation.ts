import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  appendJsonLine,
  findText,
  parseObject,
  writeJson,
} from '../../../../src/demo-agent/home.ts';
import type { ConversationDatabase } from './conversation-database.ts';
import { type StepRecord, shortened, system, userInput } from './transcript-records.ts';

/** Between the files that a first prompt makes. Milliseconds. */
const FILE_GAP_MS = 10;

export interface ConversationPlace {
  /** `~/.gemini/antigravity-cli`. */
  readonly folder: string;
  readonly cwd: string;
  readonly emptyTranscript: boolean;
  log(line: string): void;
}

/** One conversation and its files, which begin with its first prompt. */
export class Conversation {
  readonly id: string;
  readonly trajectoryId = randomUUID();
  readonly #place: ConversationPlace;
  #database: ConversationDatabase | undefined;
  #nextStep = 0;

  constructor(place: ConversationPlace, id: string = randomUUID()) {
    this.#place = place;
    this.id = id;
  }

  static exists({ folder }: ConversationPlace, id: string): boolean {
    return existsSync(databaseFile(folder, id));
  }

  /** What the cache says of this folder: the newest that any process there began. */
  static lastOf({ folder, cwd }: ConversationPlace): string | undefined {
    const found = parseObject(findText(join(folder, 'cache', 'last_conversations.json')))?.[cwd];
    return typeof found === 'string' ? found : undefined;
  }

  get folder(): string {
    return join(this.#place.folder, 'brain', this.id);
  }

  get logs(): string {
    return join(this.folder, '.system_generated', 'logs');
  }

  /** Of an earlier process, in the order of the steps. */
  records(): readonly Readonly<Record<string, unknown>>[] {
    const text = findText(join(this.logs, 'transcript_full.jsonl')) ?? '';
    const records = text.split('\n').flatMap((line) => {
      const record = parseObject(line);
      return record ? [record] : [];
    });
    return records.sort((a, b) => Number(a.step_index) - Number(b.step_index));
  }

  /** Goes on with one that is there. */
  async open(): Promise<void> {
    const last = this.records().at(-1);
    this.#nextStep = last === undefined ? 0 : Number(last.step_index) + 1;
    await this.#hold();
    this.#place.log(`Resuming conversation ${this.id}`);
  }

  /** The first prompt of this process: a new conversation gets its files, one after another. */
  async addPrompt(text: string): Promise<void> {
    const { folder, cwd } = this.#place;
    const isNew = this.#database === undefined;
    if (isNew) await this.#hold();
    if (isNew) await sleep(FILE_GAP_MS);
    this.add((step, now) => userInput(step, text, now));
    if (isNew) this.add((step, now) => system(step, 'CHECKPOINT', now, 'checkpoint'));
    if (isNew) await sleep(FILE_GAP_MS);
    const cache = join(folder, 'cache', 'last_conversations.json');
    writeJson(cache, { ...parseObject(findText(cache)), [cwd]: this.id });
    appendJsonLine(join(folder, 'history.jsonl'), { text, folder: cwd, at: Date.now() });
    if (isNew) this.#place.log(`Created conversation ${this.id}`);
  }

  nextStep(): number {
    return this.#nextStep++;
  }

  /** @param make - Gets the number of the step and the time. */
  add(make: (step: number, now: Date) => StepRecord): void {
    this.write(make(this.nextStep(), new Date()));
  }

  /** In any order: each appends one line. */
  write(record: StepRecord): void {
    mkdirSync(this.logs, { recursive: true });
    for (const [name, each] of [
      ['transcript.jsonl', shortened(record)],
      ['transcript_full.jsonl', record],
    ] as const) {
      const line = this.#place.emptyTranscript ? '' : `${JSON.stringify(each)}\n`;
      appendFileSync(join(this.logs, name), line, { mode: 0o600 });
    }
    this.#database?.addStep(record.step_index, record.type);
  }

  /** A clean end: the lock goes, and what was in the write-ahead log is in the file. */
  close(): void {
    this.#database?.close();
    rmSync(this.#lock, { force: true });
  }

  async #hold(): Promise<void> {
    const { ConversationDatabase } = await import('./conversation-database.ts');
    const file = databaseFile(this.#place.folder, this.id);
    mkdirSync(dirname(file), { recursive: true });
    this.#database = new ConversationDatabase(file, this.id, this.trajectoryId);
    mkdirSync(dirname(this.#lock), { recursive: true });
    writeFileSync(this.#lock, '');
  }

  get #lock(): string {
    return join(this.#place.folder, 'presence', `${this.id}.lock`);
  }
}

function databaseFile(folder: string, id: string): string {
  return join(folder, 'conversations', `${id}.db`);
}
