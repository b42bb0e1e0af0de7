import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { parseJsonLines, stringAt } from '../shared/json.ts';
import { configDir, mainFile, projectKey } from './config-dir.ts';
import { promptHash } from './prompt-hash.ts';
import { answerOf, isAnswer, promptOf } from './transcript.ts';

/**
 * `projects/<key>/<id>.jsonl`, one JSON record a line, begun with the first prompt. A program that
 * ends without one leaves a stub without messages, which `-r` refuses (`No conversation found`). `-r`
 * keeps the id and appends to the same file, also from another directory.
 */
export const store: ConversationStore = {
  paths: (query) => [conversationFile(query), conversationFile(query, '*')],

  inspect(text) {
    const records = parseJsonLines(text);
    const messages = records.filter((each) => promptOf(each) !== undefined || isAnswer(each));
    const cwd = records.map((each) => stringAt(each, 'cwd')).find((each) => each !== undefined);
    return { messages: messages.length, ...(cwd === undefined ? {} : { cwd }) };
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

  purgePaths(query) {
    const { conversationId, env } = query;
    const file = conversationFile(query);
    const dir = configDir(env);
    return [
      file,
      file.slice(0, -'.jsonl'.length),
      `${dir}/session-env/${conversationId}`,
      `${dir}/file-history/${conversationId}`,
      `${dir}/tasks/${conversationId}`,
    ];
  },

  quotedIn({ env }) {
    const dir = configDir(env);
    return [
      `${dir}/history.jsonl`,
      `${dir}/paste-cache`,
      `${dir}/telemetry`,
      mainFile(env),
      `${dir}/backups`,
    ];
  },
};

/** `cwd` is where the conversation was started: its key names the folder for good. */
function conversationFile(query: StoreQuery, key = projectKey(query.cwd)): string {
  return `${configDir(query.env)}/projects/${key}/${query.conversationId}.jsonl`;
}
