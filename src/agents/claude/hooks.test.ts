import { describe, expect, it } from 'vitest';
import type { HookFact } from '../../domain/hook-fact.ts';
import { readHook } from './hooks.ts';
import { promptHash } from './prompt-hash.ts';

const session_id = '11111111-1111-4111-8111-111111111111';
/** Fields that every payload has, and some that only newer versions have. */
const common = {
  session_id,
  transcript_path: '/home/user/.claude/projects/-home-user-project/x.jsonl',
  cwd: '/home/user/project',
  prompt_id: '6c53e388-eec2-4ab7-a305-4cc6a5e0a854',
  effort: { level: 'medium' },
};

function read(event: string, own: object): HookFact | undefined {
  return readHook(event, { ...common, hook_event_name: event, ...own });
}

describe('readHook', () => {
  it.each(['startup', 'resume', 'clear', 'compact'])('reads a start by %s', (source) => {
    expect(read('SessionStart', { source, model: 'm' })).toEqual({
      conversationId: session_id,
      kind: 'conversation-started',
      cause: source,
    });
  });

  it('does not take the start of a forked copy for one of ours', () => {
    expect(read('SessionStart', { source: 'fork' })).toMatchObject({
      kind: 'noted',
      event: 'SessionStart:fork',
    });
  });

  it.each([
    ['clear', false],
    ['resume', false],
    ['prompt_input_exit', true],
    ['logout', true],
    ['other', true],
  ])('reads an end by %s', (reason, processEnds) => {
    expect(read('SessionEnd', { reason })).toMatchObject({
      kind: 'conversation-ended',
      reason,
      processEnds,
    });
  });

  it('reduces a prompt to its hash', () => {
    const fact = read('UserPromptSubmit', { prompt: 'a    b\n' });
    expect(fact).toEqual({
      conversationId: session_id,
      kind: 'prompt-submitted',
      promptHash: promptHash('a\tb'),
    });
  });

  it.each([
    ['PreToolUse', 'Bash', 'tool-started'],
    ['PostToolUse', 'Bash', 'tool-ended'],
    ['PostToolUseFailure', 'Bash', 'tool-ended'],
    ['PermissionRequest', 'Bash', 'approval-wanted'],
    ['PermissionRequest', 'ExitPlanMode', 'approval-wanted'],
    ['PermissionRequest', 'AskUserQuestion', 'answer-wanted'],
  ])('reads %s of %s', (event, tool, kind) => {
    expect(read(event, { tool_name: tool, tool_input: {} })).toMatchObject({ kind, tool });
  });

  it('reads the end of a turn with its answer', () => {
    expect(read('Stop', { last_assistant_message: 'done' })).toMatchObject({
      kind: 'turn-ended',
      answer: 'done',
    });
    expect(read('Stop', {})).toEqual({ conversationId: session_id, kind: 'turn-ended' });
    expect(read('Stop', { background_tasks: [] })).not.toHaveProperty('background');
    expect(read('Stop', { background_tasks: [{ id: 'b1' }] })).toMatchObject({ background: true });
  });

  it.each([
    ['rate_limit', true],
    ['billing_error', false],
    ['authentication_failed', false],
    ['unknown', false],
  ])('reads a turn that failed by %s', (error, limited) => {
    expect(read('StopFailure', { error })).toMatchObject({ kind: 'turn-failed', error, limited });
  });

  it('reads compaction, and notes the rest', () => {
    expect(read('PreCompact', { trigger: 'auto' })).toMatchObject({ kind: 'compacting' });
    expect(read('Later', {})).toMatchObject({ kind: 'noted', event: 'Later' });
  });

  it.each([undefined, 'text', [], {}, { session_id: 7 }])('makes nothing of %j', (payload) => {
    expect(readHook('Stop', payload)).toBeUndefined();
  });
});
