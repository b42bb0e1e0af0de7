import { describe, expect, it } from 'vitest';
import type { HookFact } from '../../domain/hook-fact.ts';
import { readHook } from './hooks.ts';

const rootSessionId = '1796100051106_ghp33';
/** Fields that every payload of 3.0.65 has. */
const common = {
  clineVersion: '',
  timestamp: '2026-12-01T04:42:54.247Z',
  taskId: 'conv_1796100052261_78i9ler',
  sessionContext: { rootSessionId },
  workspaceRoots: ['/home/user/project'],
  workspaceInfo: { rootPath: '/home/user/project', hint: 'project' },
  userId: 'user',
  agent_id: 'agent_1796100051187_f7lnew',
  parent_agent_id: null,
};

function read(event: string, hookName: string, own: object = {}): HookFact | undefined {
  return readHook(event, { ...common, hookName, ...own });
}

describe('readHook', () => {
  it.each([
    ['TaskStart', 'agent_start', { taskStart: { taskMetadata: {} } }],
    ['TaskResume', 'agent_resume', { taskResume: { taskMetadata: {}, previousState: {} } }],
  ])('reads from %s that a turn began, and in which conversation', (event, name, own) => {
    expect(read(event, name, own)).toEqual({
      conversationId: rootSessionId,
      firedAtMs: Date.parse(common.timestamp),
      kind: 'turn-started',
    });
  });

  it('reads which tool is at work', () => {
    const parameters = { commands: '["ls"]' };
    expect(
      read('PreToolUse', 'tool_call', { preToolUse: { toolName: 'run_commands', parameters } }),
    ).toMatchObject({ kind: 'tool-started', tool: 'run_commands' });
    expect(
      read('PostToolUse', 'tool_result', { postToolUse: { toolName: 'editor', parameters } }),
    ).toMatchObject({ kind: 'tool-ended', tool: 'editor' });
  });

  it('reads the answer at the end of a turn', () => {
    const turn = { outputText: 'done', status: 'completed' };
    expect(read('TaskComplete', 'agent_end', { turn })).toMatchObject({
      kind: 'turn-ended',
      answer: 'done',
    });
    expect(read('TaskComplete', 'agent_end')).not.toHaveProperty('answer');
  });

  it.each([
    ['Rate limit reached for requests', true],
    ['You exceeded your current quota, please check your plan', true],
    ['429 Too Many Requests', true],
    ['Incorrect API key provided', false],
    ['read ECONNRESET 1429', false],
  ])('reads a failure: %s', (message, limited) => {
    const error = { name: 'Error', message };
    expect(read('TaskError', 'agent_error', { error })).toMatchObject({
      kind: 'turn-failed',
      error: message,
      limited,
    });
  });

  it.each(['SessionShutdown', 'TaskCancel'])('reads from %s that a turn was ended', (event) => {
    expect(read(event, 'session_shutdown')).toMatchObject({ kind: 'turn-interrupted' });
  });

  it('takes no event of a sub-agent for one of the session', () => {
    const own = { parent_agent_id: 'agent_1796100051187_f7lnew', turn: { outputText: 'its own' } };
    expect(read('TaskComplete', 'agent_end', own)).toEqual({
      conversationId: rootSessionId,
      kind: 'noted',
      event: 'TaskComplete:sub-agent',
    });
  });

  it('says nothing of when where it cannot be read', () => {
    expect(read('TaskStart', 'agent_start', { timestamp: 'x' })).not.toHaveProperty('firedAtMs');
  });

  it('notes what it does not know, and knows what is not of Cline', () => {
    expect(read('PreCompact', 'x')).toMatchObject({ kind: 'noted', event: 'PreCompact' });
    for (const payload of [undefined, 'x', [], { ...common }, { hookName: 'agent_start' }])
      expect(readHook('TaskStart', payload)).toBeUndefined();
  });
});
