import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { type JsonRecord, parseJsonLines, stringAt } from '../shared/json.ts';
import { promptHash } from './typing.ts';

/**
 * `<home>/conversations/<id>.jsonl`; one that somebody moved into a folder beside it is found too, but the
 * agent itself does not look there. The file has one JSON object a line: `meta`, then `user` and
 * `assistant`. The truth log, which tests read, quotes every prompt and outlives a purge.
 */
export const store: ConversationStore = {
  folder: (env) => env.DEMO_HOME || `${env.HOME ?? ''}/.mam-demo`,

  paths: (query) => [
    conversationFile(query),
    `${query.folder}/conversations/*/${query.conversationId}.jsonl`,
  ],

  all: (folder) => [`${folder}/conversations/*.jsonl`],

  idOf: (path) => /\/([^/]+)\.jsonl$/.exec(path)?.[1],

  inspect(text) {
    const lines = parseJsonLines(text);
    const prompts = lines.filter((line) => isMessage(line, 'user'));
    const answers = lines.filter((line) => isMessage(line, 'assistant'));
    const meta = lines.find((line) => line.type === 'meta');
    const cwd = meta && stringAt(meta, 'cwd');
    return {
      messages: prompts.length + answers.length,
      ...(cwd === undefined ? {} : { cwd }),
      ...(prompts[0] === undefined ? {} : { firstPrompt: textOf(prompts[0]) }),
    };
  },

  prompts(text) {
    return parseJsonLines(text)
      .filter((line) => isMessage(line, 'user'))
      .map((line) => ({
        hash: promptHash(textOf(line)),
        atMs: Date.parse(stringAt(line, 'at') ?? ''),
      }));
  },

  lastAnswer(text) {
    const lines = parseJsonLines(text);
    const prompt = lines.findLastIndex((line) => isMessage(line, 'user'));
    if (prompt === -1) return undefined;
    const answer = lines.slice(prompt).findLast((line) => isMessage(line, 'assistant'));
    return answer && textOf(answer);
  },

  // Its hook tells it.
  limitUntil: () => undefined,

  purgePaths: (query) => store.paths(query),

  quotedIn: ({ folder, conversationId }) => [`${folder}/truth/${conversationId}.jsonl`],
};

function conversationFile(query: StoreQuery): string {
  return `${query.folder}/conversations/${query.conversationId}.jsonl`;
}

function isMessage(line: JsonRecord, type: 'user' | 'assistant'): boolean {
  return line.type === type && stringAt(line, 'text') !== undefined;
}

function textOf(line: JsonRecord): string {
  return stringAt(line, 'text') ?? '';
}
