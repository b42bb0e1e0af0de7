import type { ConversationStore, StoreQuery } from '../../ports/agent-adapter.ts';
import { parseJsonLines, recordAt, stringAt } from '../shared/json.ts';
import {
  headIn,
  lastAnswerIn,
  promptsIn,
  type TranscriptForm,
} from '../shared/transcript-reader.ts';
import { configDir, mainFiles, projectKey } from './config-dir.ts';
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
 * `projects/<key>/<id>.jsonl`, one JSON record a line, begun with the first prompt. A program that
 * ends without one leaves a stub without messages, which `-r` refuses (`No conversation found`). `-r`
 * keeps the id and appends to the same file, also from another directory.
 */
export const store: ConversationStore = {
  folder: configDir,

  paths: (query) => [conversationFile(query), conversationFile(query, '*')],

  all: (folder) => [`${folder}/projects/*/*.jsonl`],

  idOf: (path) => /\/([^/]+)\.jsonl$/.exec(path)?.[1],

  inspect(text) {
    const records = parseJsonLines(text);
    const cwd = records.map((each) => stringAt(each, 'cwd')).find((each) => each !== undefined);
    return { ...headIn(form, records), ...(cwd === undefined ? {} : { cwd }) };
  },

  prompts: (text) => promptsIn(form, text),

  lastAnswer: (text) => lastAnswerIn(form, text, answerOf),

  /** `quotaLimits.resetsAt` of the error that stands for the answer, epoch seconds (2.1.332; 2.1.197 has none). */
  limitUntil(tail) {
    const last = parseJsonLines(tail).findLast(
      (each) => promptOf(each) !== undefined || isAnswer(each),
    );
    const { resetsAt } = recordAt(last ?? {}, 'quotaLimits');
    return typeof resetsAt === 'number' && resetsAt > 0 ? resetsAt * 1000 : undefined;
  },

  purgePaths(query) {
    const { conversationId, folder } = query;
    const transcripts = store.paths(query);
    return [
      ...transcripts,
      ...transcripts.map((path) => path.slice(0, -'.jsonl'.length)),
      `${folder}/session-env/${conversationId}`,
      `${folder}/file-history/${conversationId}`,
      `${folder}/tasks/${conversationId}`,
    ];
  },

  quotedIn: ({ folder }) => [
    `${folder}/history.jsonl`,
    `${folder}/paste-cache`,
    `${folder}/telemetry`,
    ...mainFiles(folder),
    `${folder}/backups`,
  ],
};

/** `cwd` is where the conversation was started: its key names the folder for good. */
function conversationFile(query: StoreQuery, key = projectKey(query.cwd)): string {
  return `${query.folder}/projects/${key}/${query.conversationId}.jsonl`;
}
