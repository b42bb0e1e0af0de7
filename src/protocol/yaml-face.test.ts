import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exampleSession } from '../../test/support/example-session.ts';
import { readFaceRevision, renderFace } from './yaml-face.ts';
import { readFaceSessions } from './yaml-face-reader.ts';

const keys = { demo: 'demo_conversation_id_own' };
const sessions = [
  exampleSession('api', { conversationId: 'c-1', lastScreen: '❯ hi\n\n  there' }),
  exampleSession('no', {
    status: 'stopped',
    stoppedAt: '2026-11-30T12:00:00.000Z',
    cwd: '/tmp/a b: c',
  }),
];
const path = '/w/face.yaml';
const face = renderFace({ revision: 7, sessions, identities: [], conversationKeys: keys });

describe('renderFace', () => {
  it('names entries as tmux names the sessions, with the agent’s own key for its conversation', () => {
    const { sessions: entries } = parse(face);
    expect(Object.keys(entries)).toEqual(['demo-creator-api', 'demo-creator-no']);
    expect(entries['demo-creator-api']).toMatchObject({
      name: 'api',
      status: 'running',
      demo_conversation_id_own: 'c-1',
      last_visible_status_at_termination: '❯ hi\n\n  there',
    });
    expect(entries['demo-creator-no'].cwd).toBe('/tmp/a b: c');
  });

  it('is a mapping even without sessions', () => {
    const empty = renderFace({ revision: 1, sessions: [], identities: [], conversationKeys: keys });
    expect(parse(empty)).toEqual({ sessions: {}, agent_identities: {} });
  });
});

describe('readFaceRevision', () => {
  it('knows its own text', () => {
    expect(readFaceRevision(face)).toBe(7);
  });

  it.each([
    ['a changed byte', face.replace('api', 'apj')],
    ['a line added below', `${face}# note\n`],
    ['a line added above', `# note\n${face}`],
    ['a missing trailer', face.slice(0, face.lastIndexOf('# mam:'))],
    ['another number in the hash', face.replace(/[0-9a-f]\n$/, 'x\n')],
    ['nothing', ''],
  ])('does not know %s', (_, text) => {
    expect(readFaceRevision(text)).toBeUndefined();
  });
});

describe('readFaceSessions', () => {
  it('gives back what a reader needs, and judges no process by it', () => {
    const { sessions: found, unreadable } = readFaceSessions({ path, text: face }, keys);
    expect(unreadable).toEqual([]);
    expect(
      found.map(({ name, status, conversationId, host }) => [name, status, conversationId, host]),
    ).toEqual([
      ['api', 'running', 'c-1', 'unknown'],
      ['no', 'stopped', sessions[1]?.conversationId, 'unknown'],
    ]);
  });

  it.each([
    ['whose fields are not what they must be', 'status: running', 'status: asleep', ['status']],
    ['of an agent that nobody knows', 'agent: demo', 'agent: emacs', ['agent']],
    ['with an alias of nothing', 'role: creator', 'role: *nobody', []],
    ['that is no mapping', /demo-creator-api:\n(?: {4}.*\n|\n)+/, 'demo-creator-api: 7\n', []],
  ])('names an entry %s, its line and its fields, and gives the others', (_, from, to, fields) => {
    const text = face.replace(from, to);
    const { sessions: found, unreadable } = readFaceSessions({ path, text }, keys);
    expect(unreadable).toEqual([{ entry: 'demo-creator-api', line: 4, fields }]);
    expect(found.map(({ name }) => name)).toEqual(['no']);
  });

  it.each([
    ['a line that is no YAML', face.replace('sessions:', 'sessions: ]'), '/w/face.yaml:3:'],
    ['a tab', face.replace('sessions:', '\tsessions:'), '/w/face.yaml:3:'],
    ['an entry given twice', face.replace('agent_identities', 'sessions'), '/w/face.yaml:'],
    ['no sessions', 'agent_identities: {}\n', '/w/face.yaml:1:1'],
    ['sessions that are a list', '# x\nsessions:\n  - a\n', '/w/face.yaml:3:'],
    ['sessions without anything', 'sessions:\n', '/w/face.yaml:1:'],
    ['a list', '- a\n', '/w/face.yaml:1:1'],
    ['a word', 'oh', '/w/face.yaml:1:1'],
    ['nothing', '', '/w/face.yaml:1:1'],
  ])('says where the damage is in a face with %s', (_, text, where) => {
    expect(() => readFaceSessions({ path, text }, keys)).toThrow(
      expect.objectContaining({
        code: 'registry.damaged',
        message: expect.stringContaining(where),
      }),
    );
  });
});
