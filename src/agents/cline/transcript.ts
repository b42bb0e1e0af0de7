import { isRecord, type JsonRecord, parseJson, stringAt } from '../shared/json.ts';

/**
 * The messages of a conversation's file: `{"messages":[{"role","content":[…],"ts"}]}`. Errors of the provider
 * are stored as answers that are only shown, `"metadata":{"displayOnly":true}`: they are left out.
 */
export function messagesOf(text: string): readonly JsonRecord[] {
  const file = parseJson(text);
  const messages = isRecord(file) ? file.messages : undefined;
  if (!Array.isArray(messages)) return [];
  return messages.filter((each): each is JsonRecord => isRecord(each) && !isOnlyShown(each));
}

function isOnlyShown({ metadata }: JsonRecord): boolean {
  return isRecord(metadata) && metadata.displayOnly === true;
}

/**
 * What the user sent in this message: `<user_input mode="act">…</user_input>`. Results of tools, and what
 * Cline itself says to the model, have the role `user` without it.
 */
export function promptOf(message: JsonRecord): string | undefined {
  const text = message.role === 'user' ? textOf(message.content) : '';
  return text.startsWith('<user_input') ? text : undefined;
}

/** The text that ends a turn; one that calls a tool goes on. */
export function answerOf({ role, content }: JsonRecord): string | undefined {
  const callsTool = partsOf(content).some(({ type }) => type === 'tool_use');
  const text = role === 'assistant' && !callsTool ? textOf(content) : '';
  return text.trim() === '' ? undefined : text;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = partsOf(content).filter(({ type }) => type === 'text');
  return parts.map((part) => stringAt(part, 'text') ?? '').join('');
}

function partsOf(content: unknown): readonly JsonRecord[] {
  return Array.isArray(content) ? content.filter((part) => isRecord(part)) : [];
}
