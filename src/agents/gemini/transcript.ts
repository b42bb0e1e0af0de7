import { isRecord, type JsonRecord, stringAt } from '../shared/json.ts';

/**
 * What the user sent in this record, `undefined` for anything else: `{"id","timestamp","type":"user",
 * "content":[{"text"}]}`. With files taken in by `@path` the content holds them too, and
 * `displayContent` what was typed. Results of tools have the type `user` and no text.
 */
export function promptOf(record: JsonRecord): string | undefined {
  if (record.type !== 'user' || stringAt(record, 'id') === undefined) return undefined;
  const text = textOf(record.displayContent ?? record.content);
  return text.trim() === '' || NOT_TYPED.test(text) ? undefined : text;
}

/** The text of an answer; one that only calls tools has none. */
export function answerOf(record: JsonRecord): string | undefined {
  if (!isAnswer(record)) return undefined;
  const text = textOf(record.content);
  return text.trim() === '' ? undefined : text;
}

export function isAnswer(record: JsonRecord): boolean {
  return record.type === 'gemini' && stringAt(record, 'id') !== undefined;
}

/** Put there by the program itself. */
const NOT_TYPED =
  /^\s*<session_context>|^System: Potential loop detected\. Details: |^System: Please continue\.$/;

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.filter((part): part is JsonRecord => isRecord(part));
  return parts.map((part) => stringAt(part, 'text') ?? '').join('');
}
