import { describe, expect, it } from 'vitest';
import { isOwnerAlive, isSameOwner, type Owner, type OwnerView } from './owner.ts';

const self: Owner = { host: 'h', boot: 'b', pidNamespace: 'n', pid: 10, startTicks: '100' };
const view = (alive: boolean): OwnerView => ({ self, isAlive: () => alive });
const other = (change: Partial<Owner>): Owner => ({ ...self, pid: 20, ...change });

describe('isOwnerAlive', () => {
  it('asks the process table for the same boot and namespace, whatever the deadline', () => {
    expect(isOwnerAlive(other({}), 0, view(true), 1_000)).toBe(true);
    expect(isOwnerAlive(other({}), 9_000, view(false), 1_000)).toBe(false);
  });

  it('takes an owner of another boot of this host for dead', () => {
    expect(isOwnerAlive(other({ boot: 'earlier' }), 9_000, view(true), 1_000)).toBe(false);
  });

  it.each([{ host: 'elsewhere' }, { pidNamespace: 'container' }, { host: 'elsewhere', boot: 'x' }])(
    'cannot see %o and waits for its deadline',
    (change) => {
      expect(isOwnerAlive(other(change), 2_000, view(false), 1_000)).toBe(true);
      expect(isOwnerAlive(other(change), 2_000, view(true), 2_000)).toBe(false);
    },
  );
});

describe('isSameOwner', () => {
  it('knows itself', () => {
    expect(isSameOwner(self, { ...self })).toBe(true);
  });

  it.each(['host', 'boot', 'pidNamespace', 'startTicks'] as const)(
    'tells two processes of one pid apart by %s',
    (field) => {
      expect(isSameOwner(self, { ...self, [field]: 'another' })).toBe(false);
    },
  );

  it('tells two processes of one namespace apart', () => {
    expect(isSameOwner(self, other({}))).toBe(false);
  });
});
