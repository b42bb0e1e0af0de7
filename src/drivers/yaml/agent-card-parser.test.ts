import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cardKinds } from '../../../test/support/every-agent.ts';
import { parseAgentCard } from './agent-card-parser.ts';

const PATH = '/w/.mam/agents/some.yaml';
const lines = [
  'v: 1',
  'name: Some agent',
  'binaries: [some]',
  'launch:',
  "  resume: [--resume, '{id}']",
  'conversation:',
  '  id: minted',
  '  folder: [$SOME_HOME, ~/.some]',
  "  files: ['chats/{id}.jsonl']",
  '  prompt: { at: text }',
  '  time: at',
  'screen:',
  '  composer:',
  "    sign: '>'",
  '    below: []',
  "  working: ['^Working']",
  '  dialogs:',
  "    - { id: trust, title: ^Trust, hint: ^Enter, mark: '>' }",
  'quit: /quit',
];
/** The card with this line in place of another. */
const withLine = (number: number, line: string) =>
  lines.map((each, i) => (i === number - 1 ? line : each)).join('\n');

describe('parseAgentCard', () => {
  it('reads the least that a card may say', () => {
    const card = parseAgentCard(lines.join('\n'), PATH);
    expect(card).toMatchObject({ name: 'Some agent', conversation: { id: 'minted' } });
  });

  it.each([
    ['an unknown key', 3, 'binaris: [some]', '3:1', 'unknown key "binaris"'],
    ['a wrong word', 7, '  id: guessed', '7:3', 'conversation.id'],
    ['a place that is none', 8, '  folder: [/etc]', '8:12', 'is no place'],
    ['a path out of the folder', 9, "  files: ['../{id}']", '9:11', 'is no path below'],
    ['files without the id', 9, '  files: [chat.jsonl]', '9:11', 'lacks {id}'],
    ['a pattern that is none', 16, "  working: ['(']", '16:13', 'is no regular expression'],
    ['a member that lacks a key', 18, '    - { id: trust, title: ^T }', '18:7', 'hint'],
    ['a tab', 4, '\tlaunch:', '4:1', 'Tabs'],
    ['another version', 1, 'v: 2', '1:1', 'v'],
  ])('names line and column of %s', (_, number, line, where, what) => {
    const act = () => parseAgentCard(withLine(number, line), PATH);
    expect(act).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: expect.stringContaining(`${PATH}:${where}: `),
      }),
    );
    expect(act).toThrow(what);
  });

  it.each(cardKinds)('reads the shipped card of %s', (kind) => {
    const path = `${import.meta.dirname}/../../assets/agents/${kind}.yaml`;
    expect(parseAgentCard(readFileSync(path, 'utf8'), path).v).toBe(1);
  });
});
