import { describe, expect, it } from 'vitest';
import { readHook } from './hooks.ts';

const conversationId = '11111111-1111-4111-8111-111111111111';
const common = {
  artifactDirectoryPath: `/h/.gemini/antigravity-cli/brain/${conversationId}`,
  conversationId,
  modelName: 'gemini-3.8-flash-low',
  workspacePaths: ['/tmp/p'],
};
const read = (event: string, own: object = {}) => readHook(event, { ...common, ...own });

describe('readHook', () => {
  it('knows each event by the name of its file: the payload has none', () => {
    const toolCall = { name: 'run_command', args: { CommandLine: 'ls' } };
    expect(read('SessionStart')).toEqual({ conversationId, kind: 'noted', event: 'SessionStart' });
    expect(read('PreInvocation', { invocationNum: 0 })).toEqual({
      conversationId,
      kind: 'model-asked',
    });
    expect(read('PreToolUse', { stepIdx: 1, toolCall })).toEqual({
      ...{ conversationId, kind: 'tool-started', tool: 'run_command' },
    });
    expect(read('PostToolUse', { toolCall, error: '' })).toMatchObject({ kind: 'tool-ended' });
    expect(read('PostInvocation')).toMatchObject({ kind: 'noted', event: 'PostInvocation' });
  });

  it('tells at the end of a turn whether something runs on', () => {
    const stop = { executionNum: 0, terminationReason: 'NO_TOOL_CALL', error: '' };
    expect(read('Stop', { ...stop, fullyIdle: true })).toEqual({
      ...{ conversationId, kind: 'turn-ended' },
    });
    expect(read('Stop', { ...stop, fullyIdle: false })).toMatchObject({
      ...{ kind: 'turn-ended', background: true },
    });
    expect(read('Stop', { ...stop, error: 'Eligibility check failed' })).toMatchObject({
      ...{ kind: 'turn-failed', limited: false },
    });
    expect(read('Stop', { ...stop, error: 'Individual quota reached' })).toMatchObject({
      limited: true,
    });
  });

  it.each([undefined, null, 'x', [], {}, { conversationId: 1 }])(
    'takes nothing from %j',
    (payload) => {
      expect(readHook('Stop', payload)).toBeUndefined();
    },
  );
});
