import { describe, expect, it } from 'vitest';
import { readHook } from './hook-facts.ts';
import { promptHash } from './typing.ts';

const conversationId = 'c1';
const payload = (fields: object) => ({ session_id: conversationId, cwd: '/w', ...fields });

describe('readHook', () => {
  it.each(['startup', 'resume', 'clear', 'compact'])('reads a start by %s', (source) => {
    expect(readHook('SessionStart', payload({ source }))).toEqual({
      conversationId,
      kind: 'conversation-started',
      cause: source,
    });
  });

  it('knows that only a clear leaves the process running', () => {
    const end = (reason: string) => readHook('SessionEnd', payload({ reason }));
    expect(end('clear')).toMatchObject({ kind: 'conversation-ended', processEnds: false });
    expect(end('other')).toMatchObject({ reason: 'other', processEnds: true });
  });

  it('reduces a prompt to its hash', () => {
    expect(readHook('UserPromptSubmit', payload({ prompt: ' hi\n' }))).toEqual({
      conversationId,
      kind: 'prompt-submitted',
      promptHash: promptHash('hi'),
    });
  });

  it.each([
    ['PreToolUse', 'Bash', 'tool-started'],
    ['PostToolUse', 'Bash', 'tool-ended'],
    ['PermissionRequest', 'Bash', 'approval-wanted'],
    ['PermissionRequest', 'AskUserQuestion', 'answer-wanted'],
  ])('reads %s of %s as %s', (event, tool, kind) => {
    expect(readHook(event, payload({ tool_name: tool }))).toEqual({ conversationId, kind, tool });
  });

  it('reads how a turn ended', () => {
    expect(readHook('Stop', payload({ last_assistant_message: 'done' }))).toEqual({
      conversationId,
      kind: 'turn-ended',
      answer: 'done',
    });
    expect(readHook('Stop', payload({}))).toEqual({ conversationId, kind: 'turn-ended' });
    expect(readHook('StopFailure', payload({ error: 'rate_limit' }))).toMatchObject({
      kind: 'turn-failed',
      error: 'rate_limit',
      limited: true,
    });
    const until = { error: 'rate_limit', resets_at: 1_796_089_954 };
    expect(readHook('StopFailure', payload(until))).toMatchObject({ untilMs: 1_796_089_954_000 });
    expect(readHook('StopFailure', payload({ error: 'unknown' }))).toMatchObject({
      limited: false,
    });
  });

  it.each([
    ['Stop', undefined],
    ['Stop', []],
    ['Stop', {}],
    ['Stop', { session_id: 7 }],
    ['SessionStart', payload({ source: 'elsewhere' })],
    ['SessionEnd', payload({})],
    ['UserPromptSubmit', payload({ prompt: 3 })],
    ['PreToolUse', payload({})],
    ['StopFailure', payload({})],
    ['Unheard', payload({})],
  ])('does not read %s with %j', (event, value) => {
    expect(readHook(event, value)).toBeUndefined();
  });
});
