import type { ConversationHead } from '../../ports/agent-adapter.ts';
import { type JsonRecord, stringAt } from './json.ts';

/** How an agent writes a conversation down, one JSON record after the other. */
export interface TranscriptForm {
  records(text: string): readonly JsonRecord[];
  /** What the user sent in a record; `undefined` for anything else. */
  promptOf(record: JsonRecord): string | undefined;
  isAnswer(record: JsonRecord): boolean;
  /** SHA-256 (hex) of a prompt in the agent's normal form. */
  hash(prompt: string): string;
  /** The key of a record's time, ISO 8601. */
  readonly timeKey: string;
}

/** Prompts in order; the time of one without any is NaN. */
export function promptsIn(form: TranscriptForm, text: string) {
  return form.records(text).flatMap((record) => {
    const prompt = form.promptOf(record);
    if (prompt === undefined) return [];
    const atMs = Date.parse(stringAt(record, form.timeKey) ?? '');
    return [{ hash: form.hash(prompt), atMs }];
  });
}

/** The records after the last prompt; undefined where there is none. */
export function lastTurnIn(form: TranscriptForm, text: string): readonly JsonRecord[] | undefined {
  const records = form.records(text);
  const prompt = records.findLastIndex((each) => form.promptOf(each) !== undefined);
  return prompt === -1 ? undefined : records.slice(prompt);
}

export function headIn(
  { promptOf, isAnswer }: TranscriptForm,
  records: readonly JsonRecord[],
): ConversationHead {
  const prompts = records.map(promptOf).filter((each) => each !== undefined);
  const messages = prompts.length + records.filter(isAnswer).length;
  const [firstPrompt] = prompts;
  return { messages, ...(firstPrompt === undefined ? {} : { firstPrompt }) };
}

/** The last of the answers to the last prompt that say something. */
export function lastAnswerIn(
  form: TranscriptForm,
  text: string,
  answerOf: (record: JsonRecord) => string | undefined,
): string | undefined {
  const answers = lastTurnIn(form, text)?.map(answerOf);
  return answers?.findLast((each) => each !== undefined);
}
