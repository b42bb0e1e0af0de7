import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { parseJsonLines, stringAt } from '../shared/json.ts';
import {
  headIn,
  lastAnswerIn,
  promptsIn,
  type TranscriptForm,
} from '../shared/transcript-reader.ts';
import { promptHash } from './prompt-hash.ts';
import { answerOf, isAnswer, promptOf } from './transcript.ts';

const form: TranscriptForm = {
  records: parseJsonLines,
  promptOf,
  isAnswer,
  hash: promptHash,
  timeKey: 'timestamp',
};

/**
 * `tmp/<slug>/chats/session-<minute>-<first 8 of the id>.jsonl`, one JSON record a line, begun at the
 * start and deleted at the end when nothing was said. The slug is the folder's name, made unique by the
 * program (`projects.json`), so it is looked for below any. `--resume` appends to the same file.
 */
export const store: ConversationStore = {
  folder: (env) => `${env.GEMINI_CLI_HOME || env.HOME || ''}/.gemini`,

  leavesStubs: true,

  paths: (query) => [chatFile(query)],

  all: (folder) => [`${folder}/tmp/*/chats/session-*.jsonl`],

  // Its name has the first eight characters only.
  idOf: (_path, text) => stringAt(parseJsonLines(text)[0] ?? {}, 'sessionId'),

  inspect(text) {
    const records = parseJsonLines(text);
    const cwdHash = stringAt(records[0] ?? {}, 'projectHash');
    return { ...headIn(form, records), ...(cwdHash === undefined ? {} : { cwdHash }) };
  },

  prompts: (text) => promptsIn(form, text),

  lastAnswer: (text) => lastAnswerIn(form, text, answerOf),

  /** Neither file nor screen tells when a quota comes back. */
  limitUntil: () => undefined,

  purgePaths(query) {
    const { conversationId } = query;
    const project = `${query.folder}/tmp/*`;
    return [
      chatFile(query),
      // Chats of its sub-agents, plans and notes, its log, results of tools that were too long.
      `${project}/chats/${conversationId}`,
      `${project}/${conversationId}`,
      `${project}/logs/session-${conversationId}.jsonl`,
      `${project}/tool-outputs/session-${conversationId}`,
    ];
  },

  quotedIn: ({ folder }) => [`${folder}/tmp/*/logs.json`],
};

const SHORT_ID = 8;

function chatFile({ folder, conversationId }: StoreQuery): string {
  return `${folder}/tmp/*/chats/session-*-${conversationId.slice(0, SHORT_ID)}.jsonl`;
}
