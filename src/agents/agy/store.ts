import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { headIn, lastTurnIn, promptsIn, type TranscriptForm } from '../shared/transcript-reader.ts';
import { promptHash } from './prompt-hash.ts';
import { answerOf, isAnswer, promptOf, readSteps } from './transcript.ts';

const LOGS = '.system_generated/logs';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TRANSCRIPT = new RegExp(`/brain/(${UUID})/\\.system_generated/logs/transcript\\.jsonl$`);
const DATABASE_FILE = new RegExp(`/conversations/(${UUID})\\.db(?:-wal|-shm)?$`);
const DATABASE = 'SQLite format 3\0';

const form: TranscriptForm = {
  records: readSteps,
  promptOf,
  isAnswer,
  hash: promptHash,
  timeKey: 'created_at',
};

/**
 * `conversations/<id>.db`, SQLite without a published form, is the conversation; its text is in
 * `brain/<id>/…/transcript.jsonl`, one JSON record a line. Both begin with the first prompt. The folder
 * that it was started in is in neither. `cache/last_conversations.json` is never asked: sessions in one
 * folder overwrite each other there.
 */
export const store: ConversationStore = {
  folder: (env) => `${env.HOME ?? ''}/.gemini/antigravity-cli`,

  // Some builds leave the transcript empty: then the conversation itself tells that there is one.
  paths: (query) => [transcript(query), database(query)],

  // Without it `--conversation` warns, and begins another.
  needs: (query) => [database(query), earlyFile(query)],

  all: (folder) => [`${folder}/brain/*/${LOGS}/transcript.jsonl`],

  idOf: (path) => TRANSCRIPT.exec(path)?.[1],

  idOfOpenFile: (path) => DATABASE_FILE.exec(path)?.[1],

  inspect: (text) => (text.startsWith(DATABASE) ? { messages: 1 } : headIn(form, readSteps(text))),

  prompts: (text) => promptsIn(form, text),

  /** One that only calls tools, or was declined, ended without. */
  lastAnswer(text) {
    const last = lastTurnIn(form, text)?.findLast(isAnswer);
    return last && answerOf(last);
  },

  /** Neither file nor screen tells when a quota comes back. */
  limitUntil: () => undefined,

  purgePaths(query) {
    const { folder, conversationId } = query;
    return [
      database(query),
      `${database(query)}-wal`,
      `${database(query)}-shm`,
      earlyFile(query),
      `${folder}/brain/${conversationId}`,
      `${folder}/presence/${conversationId}.lock`,
    ];
  },

  quotedIn: ({ folder }) => [
    `${folder}/history.jsonl`,
    `${folder}/cache/last_conversations.json`,
    `${folder}/conversation_summaries.db*`,
    `${folder}/log/*.log`,
  ],
};

function transcript({ folder, conversationId }: StoreQuery): string {
  return `${folder}/brain/${conversationId}/${LOGS}/transcript.jsonl`;
}

function database({ folder, conversationId }: StoreQuery): string {
  return `${folder}/conversations/${conversationId}.db`;
}

/** Before 1.0.4, and after a clean end of early builds. */
function earlyFile({ folder, conversationId }: StoreQuery): string {
  return `${folder}/conversations/${conversationId}.pb`;
}
