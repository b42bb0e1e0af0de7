import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { dataDir } from './home.ts';
import { promptHash } from './prompt-hash.ts';
import { answerOf, messagesOf, promptOf } from './transcript.ts';

/**
 * `sessions/<id>/<id>.messages.json`, there from the first Enter on, without a message until the model has
 * answered; beside it `<id>.json` with the first prompt, and one file for each sub-agent. Cline's index of
 * them (`db/sessions.db`) forgets those whose files are gone.
 */
export const store: ConversationStore = {
  folder: dataDir,

  paths: (query) => [`${folderOf(query)}/${query.conversationId}.messages.json`],

  all: (folder) => [`${folder}/sessions/*/*.messages.json`],

  /** Those of sub-agents lie in the folder of their conversation. */
  idOf: (path) => /\/sessions\/([^/]+)\/\1\.messages\.json$/.exec(path)?.[1],

  inspect: (text) => ({ messages: messagesOf(text).length }),

  prompts(text) {
    return messagesOf(text).flatMap((message) => {
      const prompt = promptOf(message);
      if (prompt === undefined) return [];
      return [{ hash: promptHash(prompt), atMs: Number(message.ts) }];
    });
  },

  lastAnswer(text) {
    const last = messagesOf(text).at(-1);
    return last && answerOf(last);
  },

  /** Only the provider's words say, where it says at all. */
  limitUntil: () => undefined,

  purgePaths: (query) => [folderOf(query)],

  quotedIn: ({ folder }) => [
    `${folder}/db/sessions.db*`,
    `${folder}/db/session-search.db*`,
    `${folder}/logs/cline.log`,
    `${folder}/logs/hooks.jsonl`,
    // Prompts of all conversations, without their ids: named as a folder is, whatever it holds.
    `${folder}/cache`,
  ],
};

function folderOf({ folder, conversationId }: StoreQuery): string {
  return `${folder}/sessions/${conversationId}`;
}
