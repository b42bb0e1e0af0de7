import { describe, expect, it } from 'vitest';
import { agy } from '../../agents/agy/index.ts';
import { demo } from '../../agents/demo/index.ts';
import type { Files } from '../../ports/files.ts';
import { conversationExists, isPlainId, lookUpConversation } from './conversations.ts';

const env = { HOME: '/h' };
const session = { cwd: '/w', storeFolder: null };

/** Files that exist only here; a pattern finds whatever it matches. */
function filesOf(texts: Readonly<Record<string, string>>): Files {
  const matches = (pattern: string) => {
    const rule = new RegExp(`^${pattern.split('*').map(literally).join('[^/]*')}$`);
    return Object.keys(texts).filter((path) => rule.test(path));
  };
  return {
    glob: matches,
    stat: (path: string) =>
      path in texts
        ? { kind: 'file', sizeBytes: texts[path]?.length ?? 0, readable: true }
        : undefined,
    readPart: (path: string, maxBytes: number) => texts[path]?.slice(0, maxBytes),
  } as unknown as Files;
}

const literally = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
const line = (text: string) => `${JSON.stringify({ type: 'user', text, at: '' })}\n`;

describe('lookUpConversation', () => {
  it('finds a conversation in its place, and elsewhere', () => {
    const files = filesOf({
      '/h/.mam-demo/conversations/c1.jsonl': line('one'),
      '/h/.mam-demo/conversations/moved/c2.jsonl': line('two'),
    });
    expect(lookUpConversation({ files, env }, demo, session, 'c1').found).toMatchObject({
      path: '/h/.mam-demo/conversations/c1.jsonl',
      inPlace: true,
      messages: 1,
    });
    expect(lookUpConversation({ files, env }, demo, session, 'c2').found).toMatchObject({
      path: '/h/.mam-demo/conversations/moved/c2.jsonl',
      inPlace: false,
    });
  });

  it('reads on when the first line alone is longer than the head', () => {
    const files = filesOf({ '/h/.mam-demo/conversations/c1.jsonl': line('x'.repeat(1_000_000)) });
    expect(conversationExists({ files, env }, demo, session, 'c1')).toBe(true);
  });

  it('takes none that the agent would not resume', () => {
    const folder = '/h/.gemini/antigravity-cli';
    const id = '11111111-2222-4111-8111-111111111111';
    const transcript = `${folder}/brain/${id}/.system_generated/logs/transcript.jsonl`;
    const database = `${folder}/conversations/${id}.db`;
    const said = '{"step_index":0,"source":"MODEL","type":"PLANNER_RESPONSE","content":"hi"}\n';
    const look = (texts: Readonly<Record<string, string>>) =>
      lookUpConversation({ files: filesOf(texts), env }, agy, session, id);
    const whole = look({ [transcript]: said, [database]: 'SQLite format 3\0' });
    expect(whole.found).toMatchObject({ path: transcript, inPlace: true });
    expect(look({ [transcript]: said })).toEqual({
      reason: `no file at ${database}`,
      looked: [database],
    });
    // A transcript that was left empty: the conversation itself is there.
    const bare = look({ [transcript]: '', [database]: 'SQLite format 3\0' });
    expect(bare.found).toMatchObject({ path: database, inPlace: true });
  });

  it.each(['*', '..', '../c1', 'a/b', '', '.', '-x', 'a*', 'c1\n', '\0', 'x'.repeat(200)])(
    'takes %j for no id: an agent may not name other files',
    (id) => {
      const files = filesOf({ '/h/.mam-demo/conversations/c1.jsonl': line('one') });
      const lookup = lookUpConversation({ files, env }, demo, session, id);
      expect(lookup.found).toBeUndefined();
      expect(isPlainId(id)).toBe(false);
    },
  );

  it.each([
    '5f0c7d1a-7a46-4a43-a1b4-97a6a0d3d1a5',
    '20260102_030405_a1b2c3',
    '1759741234567',
    'sess.v2_01J',
  ])('takes %j for an id', (id) => {
    expect(isPlainId(id)).toBe(true);
  });
});
