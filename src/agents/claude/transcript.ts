import { isRecord, type JsonRecord, stringAt } from '../shared/json.ts';

/**
 * What the user sent in this record, text or command line; `undefined` for everything else a `user`
 * record can be: results of tools, reminders, summaries, notifications, `!` commands. Side chains of
 * sub-agents have files of their own, below the side folder; in old ones they are marked.
 *
 * A prompt is `{type:"user", message:{content:"…"}}` with exactly the text of its UserPromptSubmit
 * (pasted content in full, with its tags); one that was sent while Claude worked comes as the
 * attachment `queued_command` when it joined the running turn.
 */
export function promptOf(record: JsonRecord): string | undefined {
  if (record.isSidechain === true || record.isMeta === true || record.isCompactSummary === true)
    return undefined;
  switch (record.type) {
    case 'user':
      return fromUser(record);
    case 'system':
      return commandLine(stringAt(record, 'content') ?? '');
    case 'attachment':
      return fromAttachment(record.attachment);
    default:
      return undefined;
  }
}

/** The text of an answer or of the error that stands in its place. */
export function answerOf(record: JsonRecord): string | undefined {
  if (!isAnswer(record) || !isRecord(record.message)) return undefined;
  const text = textOf(record.message.content);
  return text === '' ? undefined : text;
}

export function isAnswer(record: JsonRecord): boolean {
  return record.type === 'assistant' && record.isSidechain !== true && isRecord(record.message);
}

/** Tags around what is not the user's own words. */
const NOT_TYPED =
  /^\s*<(?:bash-(?:input|stdout|stderr)|local-command-|task-notification|system-reminder|user-memory-input)/;
const INTERRUPT_NOTE = /^\[Request interrupted by user[^\]]*\]$/;

function fromUser(record: JsonRecord): string | undefined {
  const content = isRecord(record.message) ? record.message.content : undefined;
  if (hasToolResult(content)) return undefined;
  const text = textOf(content);
  if (isTyped(record)) return text;
  const command = commandLine(text);
  if (command !== undefined) return command;
  const typed = text.trim() !== '' && !NOT_TYPED.test(text) && !INTERRUPT_NOTE.test(text);
  return typed ? text : undefined;
}

/** Said of what a person sent, whatever tags it has; command lines and older records lack it. */
function isTyped({ promptSource }: JsonRecord): boolean {
  return promptSource === 'typed' || promptSource === 'queued';
}

function fromAttachment(attachment: unknown): string | undefined {
  if (!isRecord(attachment) || attachment.type !== 'queued_command') return undefined;
  const prompt = stringAt(attachment, 'prompt');
  return prompt === undefined || NOT_TYPED.test(prompt) ? undefined : prompt;
}

/** `<command-name>/greet</command-name> … <command-args>bob</command-args>` as it was typed. */
function commandLine(text: string): string | undefined {
  const name = /<command-name>(\/[^<]+)<\/command-name>/.exec(text)?.[1];
  if (name === undefined || !/^\s*<command-/.test(text)) return undefined;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  return args === '' ? name : `${name} ${args}`;
}

function hasToolResult(content: unknown): boolean {
  return (
    Array.isArray(content) && content.some((part) => isRecord(part) && part.type === 'tool_result')
  );
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.filter((part) => isRecord(part) && part.type === 'text');
  return parts.map((part) => stringAt(part as JsonRecord, 'text') ?? '').join('\n');
}
