import { describe, expect, it } from 'vitest';
import { exampleSession } from '../../test/support/example-session.ts';
import type { SessionStatus } from './session.ts';
import { assertSessionChange, holdsName } from './session-rules.ts';

const at = (status: SessionStatus, resumable = true) =>
  exampleSession('api', { id: 'ses_1', launch: 'L', conversationId: 'c', status, resumable });

describe('assertSessionChange', () => {
  it('refuses another role, with both names', () => {
    const before = at('running');
    expect(() => assertSessionChange(before, { ...before, role: 'reviewer' })).toThrow(
      expect.objectContaining({
        code: 'role.immutable',
        message: expect.stringMatching(/creator.*reviewer/),
      }),
    );
  });

  it.each(['id', 'name', 'agent', 'createdAt'] as const)('refuses another %s', (field) => {
    const before = at('running');
    expect(() => assertSessionChange(before, { ...before, [field]: 'other' })).toThrow(
      expect.objectContaining({ code: 'session.wrong-state' }),
    );
  });

  const allowed = [
    ['running', 'running'],
    ['running', 'stopped'],
    ['running', 'terminated'],
    ['stopped', 'stopped'],
    ['stopped', 'running'],
    ['stopped', 'terminated'],
    ['terminated', 'terminated'],
    ['terminated', 'running'],
  ] as const;
  it.each(allowed)('lets %s become %s', (from, to) => {
    expect(() => assertSessionChange(at(from), at(to))).not.toThrow();
  });

  it('refuses every other change of state', () => {
    expect(() => assertSessionChange(at('terminated'), at('stopped'))).toThrow(
      expect.objectContaining({ code: 'session.wrong-state' }),
    );
  });

  it('does not bring back what was purged', () => {
    expect(() => assertSessionChange(at('terminated', false), at('running', false))).toThrow(
      expect.objectContaining({
        code: 'session.wrong-state',
        message: expect.stringContaining('purged'),
      }),
    );
  });
});

describe('holdsName', () => {
  it('frees the name of a terminated session only', () => {
    expect([at('running'), at('stopped'), at('terminated')].map(holdsName)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
