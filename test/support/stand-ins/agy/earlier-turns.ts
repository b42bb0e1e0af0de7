import type { Conversation } from './conversation.ts';
import type { Item } from './items.ts';

/** What a resumed conversation shows: prompts and answers, without tools. */
export function earlierTurns(conversation: Conversation): readonly Item[] {
  return conversation.records().flatMap(({ type, content }): readonly Item[] => {
    if (typeof content !== 'string') return [];
    const text = content.replace(/^<USER_REQUEST>\n([\s\S]*)\n<\/USER_REQUEST>[\s\S]*$/, '$1');
    if (type === 'USER_INPUT') return [{ kind: 'prompt', text }];
    return type === 'PLANNER_RESPONSE' ? [{ kind: 'answer', text }] : [];
  });
}
