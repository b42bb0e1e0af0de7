import { type JsonRecord, parseJsonLines, stringAt } from '../shared/json.ts';

/** Records of a transcript by their step: lines of parallel calls are written out of order. */
export function readSteps(text: string): readonly JsonRecord[] {
  const step = ({ step_index: index }: JsonRecord) => (typeof index === 'number' ? index : 0);
  return parseJsonLines(text).sort((a, b) => step(a) - step(b));
}

const OPEN = '<USER_REQUEST>\n';
const CLOSE = '\n</USER_REQUEST>';

/**
 * What the user sent in this record, `undefined` for anything else: `{"type":"USER_INPUT","source":
 * "USER_EXPLICIT","content":"<USER_REQUEST>\n…\n</USER_REQUEST>\n<ADDITIONAL_METADATA>…"}`.
 */
export function promptOf(record: JsonRecord): string | undefined {
  if (record.type !== 'USER_INPUT' || record.source !== 'USER_EXPLICIT') return undefined;
  const content = stringAt(record, 'content');
  const end = content?.lastIndexOf(CLOSE) ?? -1;
  if (content === undefined || !content.startsWith(OPEN) || end === -1) return content;
  return content.slice(OPEN.length, Math.max(OPEN.length, end));
}

export function isAnswer(record: JsonRecord): boolean {
  return record.type === 'PLANNER_RESPONSE' && record.source === 'MODEL';
}

/** The text that ends a turn: one that calls tools goes on. */
export function answerOf(record: JsonRecord): string | undefined {
  const { tool_calls: calls, status } = record;
  const goesOn = (Array.isArray(calls) && calls.length > 0) || status === 'RUNNING';
  const text = isAnswer(record) && !goesOn ? stringAt(record, 'content') : undefined;
  return text === undefined || text.trim() === '' ? undefined : text;
}
