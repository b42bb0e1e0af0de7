import { describe, expect, it } from 'vitest';
import { stateFile } from './state-file.ts';

/** As written by 2.1.332; 2.1.197 has fewer fields. */
const idle = {
  pid: 5765,
  sessionId: '11111111-1111-4111-8111-111111111111',
  cwd: '/home/user/project',
  startedAt: 1796064677575,
  procStart: '77599',
  version: '2.1.332',
  kind: 'interactive',
  name: 'myjob',
  updatedAt: 1796064677675,
  status: 'idle',
  statusUpdatedAt: 1796064677675,
};

function parse(own: object) {
  return stateFile.parse(JSON.stringify({ ...idle, ...own }));
}

describe('stateFile', () => {
  it('lies below sessions, named by the pid', () => {
    const folder = '/home/user/.claude';
    expect(stateFile.path(folder, 5765)).toBe('/home/user/.claude/sessions/5765.json');
    expect(stateFile.all(folder)).toBe('/home/user/.claude/sessions/*.json');
  });

  it('tells process and conversation', () => {
    expect(parse({})).toEqual({
      pid: 5765,
      pidStart: '77599',
      conversationId: idle.sessionId,
      state: 'idle',
      updatedAtMs: 1796064677675,
    });
  });

  it.each([
    [{ status: 'busy' }, { state: 'working' }],
    [{ status: 'shell' }, { state: 'working', detail: 'background' }],
    [
      { status: 'waiting', waitingFor: 'permission prompt' },
      { state: 'awaiting-approval', detail: 'permission' },
    ],
    [
      { status: 'waiting', waitingFor: 'input needed' },
      { state: 'awaiting-answer', detail: 'question' },
    ],
    [
      { status: 'waiting', waitingFor: 'dialog open' },
      { state: 'unknown', detail: 'overlay' },
    ],
    [{ status: 'dreaming' }, { state: 'unknown' }],
  ])('reads %j', (own, activity) => {
    expect(parse(own)).toMatchObject(activity);
  });

  it.each(['', '{"pid":5765,', '[]', '{}', '{"pid":"5765","sessionId":"x"}', '{"pid":5765}'])(
    'makes nothing of %j',
    (text) => {
      expect(stateFile.parse(text)).toBeUndefined();
    },
  );
});
