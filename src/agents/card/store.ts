import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import type { AgentCard, CardConversation, Pick } from '../../protocol/agent-card.ts';
import { isRecord, type JsonRecord, parseJsonLines } from '../shared/json.ts';
import {
  headIn,
  lastAnswerIn,
  promptsIn,
  type TranscriptForm,
} from '../shared/transcript-reader.ts';
import { escaped, pattern } from './patterns.ts';
import { promptHash } from './typing.ts';

const ANY_ID = '[A-Za-z0-9_][A-Za-z0-9_.-]*';

export function storeOf({ conversation: card }: AgentCard): ConversationStore {
  const form = formOf(card);
  const files = (folder: string, id: string) =>
    card.files.map((file) => `${folder}/${file.replaceAll('{id}', id)}`);
  const named = card.files.map((file) => pathPattern(file, card.id_pattern ?? ANY_ID));
  return {
    folder: (env) => folderIn(env, card.folder),
    paths: ({ folder, conversationId }) => files(folder, conversationId),
    all: (folder) => files(folder, '*'),
    idOf: (path) => named.flatMap((each) => each.exec(path)?.[1] ?? [])[0],
    inspect(text) {
      const records = form.records(text);
      const cwd = card.cwd && records.flatMap((each) => textAt(each, card.cwd) ?? [])[0];
      return { ...headIn(form, records), ...(cwd === undefined ? {} : { cwd }) };
    },
    prompts: (text) => promptsIn(form, text),
    lastAnswer: (text) => lastAnswerIn(form, text, (record) => textAt(record, card.answer)),
    limitUntil: () => undefined,
    purgePaths: ({ folder, conversationId }: StoreQuery) => files(folder, conversationId),
    quotedIn: ({ folder }) => (card.quoted_in ?? []).map((file) => `${folder}/${file}`),
  };
}

function formOf(card: CardConversation): TranscriptForm {
  return {
    records: parseJsonLines,
    promptOf: (record) => textAt(record, card.prompt),
    isAnswer: (record) => textAt(record, card.answer) !== undefined,
    hash: promptHash,
    timeKey: card.time,
  };
}

/** The first whose variable is set, or that needs none. */
function folderIn(env: Readonly<Record<string, string>>, places: readonly string[]): string {
  for (const place of places) {
    if (place.startsWith('~/')) return `${env.HOME ?? ''}${place.slice(1)}`;
    const [, name = '', rest = ''] = /^\$(\w+)(.*)$/.exec(place) ?? [];
    const value = env[name];
    if (value?.startsWith('/')) return value + rest;
  }
  return env.HOME ?? '';
}

/** @param file - See `CardConversation.files`. Its first group is the id. */
function pathPattern(file: string, id: string): RegExp {
  const parts = file.split('{id}').map((part) => part.split('*').map(escaped).join('[^/]*'));
  return pattern(`/${parts.join(`(${id})`)}$`);
}

/** Undefined for a record that is another, and for what is no text. */
function textAt(record: JsonRecord, pick: Pick | undefined): string | undefined {
  if (pick === undefined || !isMeant(record, pick)) return undefined;
  const texts = valuesAt(record, pick.at.split('.')).filter((each) => typeof each === 'string');
  return texts.length === 0 ? undefined : texts.join('');
}

function isMeant(record: JsonRecord, { when = {} }: Pick): boolean {
  return Object.entries(when).every(([keys, wanted]) =>
    valuesAt(record, keys.split('.')).includes(wanted),
  );
}

function valuesAt(value: unknown, keys: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, keys));
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  return isRecord(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [];
}
