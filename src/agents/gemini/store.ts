import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { parseJsonLines, stringAt } from '../shared/json.ts';
import { promptHash } from './prompt-hash.ts';
import { answerOf, isAnswer, promptOf } from './transcript.ts';

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
    const prompts = records.map(promptOf).filter((each) => each !== undefined);
    const messages = prompts.length + records.filter(isAnswer).length;
    const cwdHash = stringAt(records[0] ?? {}, 'projectHash');
    return {
      messages,
      ...(cwdHash === undefined ? {} : { cwdHash }),
      ...(prompts[0] === undefined ? {} : { firstPrompt: prompts[0] }),
    };
  },

  prompts(text) {
    return parseJsonLines(text).flatMap((record) => {
      const prompt = promptOf(record);
      if (prompt === undefined) return [];
      return [{ hash: promptHash(prompt), atMs: Date.parse(stringAt(record, 'timestamp') ?? '') }];
    });
  },

  lastAnswer(text) {
    const records = parseJsonLines(text);
    const prompt = records.findLastIndex((each) => promptOf(each) !== undefined);
    if (prompt === -1) return undefined;
    const answers = records.slice(prompt).map(answerOf);
    return answers.findLast((answer) => answer !== undefined);
  },

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
