import { describe, expect, it } from 'vitest';
import { exampleSession } from '../../test/support/example-session.ts';
import type { MamError } from './errors.ts';
import type { SessionStatus } from './session.ts';
import { assertNameFree, assertSessionChange, holdsName } from './session-rules.ts';

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

describe('assertNameFree', () => {
  const holder = exampleSession('b_1', { status: 'running' });
  const error = (wanted: string) => {
    try {
      assertNameFree(holder, wanted);
    } catch (thrown) {
      return thrown as MamError;
    }
    throw new Error('it was free');
  };

  it('says of the same name who has it', () => {
    const { message, hint } = error('b_1');
    expect(message).toMatch(
      /^Name "b_1" is taken by the demo session "b_1" \(running, role creator\)\.$/,
    );
    expect(hint).toBe('mam status b_1');
  });

  it.each([
    ['b.1', 'tmux takes "." for "_"'],
    ['B_1', 'capitals make no other name'],
    ['B.1', 'tmux takes "." for "_", and capitals make no other name'],
  ])('says why %s is the same, and names another', (wanted, why) => {
    const { code, message, hint, details } = error(wanted);
    expect(code).toBe('name.taken');
    expect(message).toBe(
      `Name "${wanted}" is taken by the demo session "b_1" (running, role creator): ${why}.`,
    );
    expect(hint).toBe(`Another name, for example ${wanted}-2 · mam status b_1`);
    expect(details).toEqual({ session: 'b_1', status: 'running' });
  });

  it('names no other where that would be too long', () => {
    const long = exampleSession(`a_${'x'.repeat(62)}`, { status: 'running' });
    expect(() => assertNameFree(long, `a.${'x'.repeat(62)}`)).toThrow(
      expect.objectContaining({ hint: `Another name · mam status ${long.name}` }),
    );
  });
});
