import { describe, expect, it } from 'vitest';
import type { ProcessInfo } from '../../ports/process-table.ts';
import { walkTree } from './process-tree.ts';

function info(pid: number, ppid: number, state = 'S'): ProcessInfo {
  const rest = { sessionLeader: pid, processGroup: pid, tty: 0, foregroundGroup: 0, uid: 0 };
  return { pid, ppid, state, startTicks: `t${pid}`, ...rest };
}

const identity = (pid: number, startTicks = `t${pid}`) => ({ pid, startTicks });

/** 1 → 10 (recorder) → 11 → 12, 13 (a zombie) → 14; 1 → 20 → 21. */
const all = [
  ...[info(1, 0), info(10, 1), info(11, 10), info(12, 11), info(13, 11, 'Z'), info(14, 13)],
  ...[info(20, 1), info(21, 20)],
];

function walk(request: Partial<Parameters<typeof walkTree>[0]>): number[][] {
  const none = { all, roots: [], members: [], isExcluded: () => false };
  const { members, left } = walkTree({ ...none, ...request });
  return [members, left].map((part) => part.map(({ pid }) => pid).sort((a, b) => a - b));
}

describe('walkTree', () => {
  it('takes what is below a root, not the root, and no zombie but what is below it', () => {
    expect(walk({ roots: [identity(10)] })).toEqual([[11, 12, 14], []]);
  });

  it('takes a member with what is below it', () => {
    expect(walk({ members: [identity(20)] })).toEqual([[20, 21], []]);
  });

  it('takes nobody whose start time is another', () => {
    const old = [identity(10, 'older'), identity(20, 'older'), identity(99)];
    expect(walk({ roots: old, members: old })).toEqual([[], []]);
  });

  it('neither takes nor passes what is excluded, and tells it', () => {
    const isExcluded = ({ pid }: ProcessInfo) => pid === 11;
    expect(walk({ roots: [identity(10)], isExcluded })).toEqual([[], [11]]);
  });

  it('keeps a root out that is below a member', () => {
    const request = { roots: [identity(11)], members: [identity(10)] };
    expect(walk(request)).toEqual([[10, 12, 14], []]);
  });
});
